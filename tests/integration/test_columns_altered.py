"""A column that is renamed or retyped between two pages of a run, in the process that has done the
first: the run goes on, or ends blocked and says why. It removes no other rows."""

import pytest

from stack.process import wait_until
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "items.purge"
PAUSED = "batch = 2\ndelay_ms = 3600000\napprove = never\n"
ROWS = """CREATE TABLE items (id int PRIMARY KEY, note timestamptz NOT NULL, rank int NOT NULL, dead boolean NOT NULL);
    INSERT INTO items SELECT i, '2020-01-01', 10 - i, i <= 8 FROM generate_series(1, 10) i"""
PAGE = """SELECT i.id AS key, i.rank, i.id FROM items i WHERE (i.rank, i.id) > (:cursor.rank::bigint, :cursor.id::bigint) AND i.dead
    ORDER BY i.rank, i.id LIMIT :limit::int"""
OWN = """DELETE FROM items i USING unnest(:key::int[]) AS k (id) WHERE i.id = k.id AND i.dead RETURNING i.id AS key, to_jsonb(i) AS row"""
CONF = "[job]\nstarts = tick\ntable = items\ncursor = rank bigint; id bigint\n" + PAUSED + "[what removed]\ncounts_as_updated = true\n"


def say_folder(house):  # noqa: F811
    folder = house.folder / JOB
    (folder / "apply/removed").mkdir(parents=True)
    (folder / "job.conf").write_text(CONF)
    (folder / "page.sql").write_text("-- A file of the tests.\n" + PAGE)
    (folder / "apply/removed/10-items.sql").write_text("-- A file of the tests.\n" + OWN)


# What is altered, and how a sentence (`where = dead AND note < :T`) and a folder end: None:
# completed; else a word of the reason
ALTERED = {
    "the key is wider": ("ALTER id TYPE bigint", None, None),
    "the key is a text": ("ALTER id TYPE text", None, "text"),
    "the key is renamed": ("RENAME id TO nr", None, "id"),
    "another column is the key": ("DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (rank)", None, "another row of items, whose rank is"),
    "the key begins with another column": ("DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (rank, id)", None, None),
    "the cursor is wider": ("ALTER rank TYPE bigint", None, None),
    "the cursor is a text": ("ALTER rank TYPE text", None, "text"),
    "the cursor is renamed": ("RENAME rank TO place", None, "rank"),
    "a column of where is a date": ("ALTER note TYPE date", None, None),
    "a column of where is a text": ("ALTER note TYPE text", "text", None),
    "a column of where is renamed": ("RENAME note TO remark", "note", None),
    "a condition is a text": ("ALTER dead TYPE text", "boolean", "boolean"),
    "a condition is renamed": ("RENAME dead TO gone", "dead", "dead"),
}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("kind", ["sentence", "folder"])
@pytest.mark.parametrize("what", ALTERED)
def test_the_run_goes_on_or_is_blocked(house, what, kind):  # noqa: F811
    statement, *ends = ALTERED[what]
    word = ends[kind == "folder"]
    house.sql(ROWS)
    if kind == "sentence":
        house.say(JOB, f"table = items\nwhere = dead AND note < :T\n{PAUSED}")
    else:
        say_folder(house)
    house.start()
    daemon = house.pruned.start()
    # The statements are prepared, and have been used, before the table is altered.
    for minutes in (3, 2):
        run = house.pruned.run("tick", JOB, "--at", now(minutes=-minutes).isoformat()).ok().stdout.strip()
        house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
        if minutes == 3:
            house.pruned.run("discard", run).ok()
    assert house.database.value("SELECT count(*) FROM items") == 6
    house.sql(f"ALTER TABLE items {statement}")
    house.pruned.configuration.write_text(f"[jobs.{JOB}]\ndelay_ms = 0\n")
    house.pruned.run("reload").ok()
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    row = house.pruned.wait_run(run)
    assert row["attempts"] == 0 and not daemon.lines("Run is dead"), row
    left = house.database.value("SELECT count(*) FROM items")
    if word is None:
        assert row["result"]["status"] == "completed" and left == 2, row
    else:
        assert row["result"]["status"] == "blocked" and word in row["result"]["reason"] and left == 6, row
    alive = "SELECT count(*) FROM items AS i WHERE to_jsonb(i) ->> %s = 'false'"
    assert house.database.value(alive, ["gone" if "TO gone" in statement else "dead"]) == 2
    assert daemon.stop() == 0


@pytest.mark.check_all
@pytest.mark.parametrize("point", ["step.after_effects", "step.before_commit", "step.after_commit"])
def test_killed_while_it_begins_again_each_row_goes_once(house, point):  # noqa: F811
    """Another column is the key: the row of least rank lies behind the old cursor."""
    house.sql(ROWS)
    house.say(JOB, f"table = items\nwhere = dead\n{PAUSED}")
    house.start()
    daemon = house.pruned.start()
    run = house.pruned.run("tick", JOB, "--at", now(minutes=-2).isoformat()).ok().stdout.strip()
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND state = 'waiting' AND step = 1", [run], until=1)
    assert daemon.stop() == 0
    house.sql("ALTER TABLE items DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (rank)")
    house.pruned.configuration.write_text(f"[jobs.{JOB}]\ndelay_ms = 0\n")
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    house.pruned.with_faults()
    assert house.pruned.start(environment={"PRUNED_FAULT": f"{point}:kill:1"}).wait(60) == -9
    last = house.pruned.start()
    row = house.pruned.wait_run(run, deadline_s=60)
    assert (row["state"], row["rows_done"], row["result"]["removed"]) == ("finished", 8, 8), row
    assert house.database.column("SELECT id FROM items ORDER BY id") == [9, 10]
    assert house.database.value("SELECT count(*) FROM pruned.deletions d, jsonb_array_elements(d.rows)") == 8
    assert last.stop() == 0


def ended(house, n):  # noqa: F811
    return house.database.value("SELECT count(*) FROM pruned.runs WHERE state IN ('finished', 'skipped')") == n


@pytest.mark.check_all
def test_a_column_that_is_renamed_while_the_catalogue_is_read_costs_no_process(house):  # noqa: F811
    """The columns of a foreign key, again and again while runs begin: between two questions to the
    catalogue they have another name."""
    house.sql("""CREATE TABLE items (id int PRIMARY KEY, note int);
        CREATE TABLE parts (id int PRIMARY KEY, item_id int REFERENCES items (id));
        INSERT INTO items SELECT i FROM generate_series(1, 3) i""")
    house.say(JOB, "table = items\nwhere = note IS NOT NULL\nchildren = parts\napprove = never\n")
    house.start()
    daemon = house.pruned.start()
    at, names = now(minutes=-10), ["item_id", "other_id"]
    for n in range(60):
        house.pruned.topics.tick(JOB, at.replace(second=n))
    for _ in range(40):  # rounds, until the catalogue was found altered about as often
        seen = len(daemon.lines("Step failed"))
        while daemon.running and len(daemon.lines("Step failed")) == seen and not ended(house, 60):
            for _ in range(50):
                house.database.connection.execute("ALTER TABLE parts RENAME {} TO {}".format(*names))
                names.reverse()
            house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    assert daemon.running
    house.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")
    wait_until(lambda: ended(house, 60), 60, "the end of all runs")
    assert daemon.stop() == 0
    assert house.database.value("SELECT count(*) FROM items") == 3
