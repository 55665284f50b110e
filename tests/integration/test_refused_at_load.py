"""A job that the database does not fit is refused when the daemon starts, alone and with its place;
`check` and `doctor` say the same."""

import json
import signal

import pytest

from stack.process import wait_until
from support.places import ROLE
from support.scene import now
from support.sentences import house  # noqa: F401

GOOD = "items.purge"
WRONG = {
    "no.table": ("table = itmes\nwhere = note < :T", "there is no table itmes"),
    "no.key": ("table = keyless\nwhere = note < :T", "keyless has no primary key"),
    "no.column": ("table = items\nwhere = colour = 'red'", "colour"),
    "no.child": ("table = items\nwhere = note < :T\nchildren = orphans", "orphans"),
    "wrong.type": ("table = items\nset = kind = 'red'\nwhere = note < :T", "integer"),
    "wrong.value": ("table = items\nset = kind = note\nwhere = note < :T", "to integer"),
    "a.view": ("table = seen\nwhere = note < :T", "seen is a view"),
    "no.archive": ("table = items\nwhere = note < :T\narchive = gone", "there is no table gone"),
}
# of the others the table is named
LINES = {"no.column": 3, "no.child": 4, "no.archive": 4, "wrong.type": 3, "wrong.value": 3}
FOLDER = "own.files"


@pytest.fixture
def items(house):  # noqa: F811
    house.sql("""CREATE TABLE items (id bigint PRIMARY KEY, note timestamptz NOT NULL, kind int);
        CREATE TABLE keyless (id bigint, note timestamptz); CREATE TABLE orphans (id bigint PRIMARY KEY);
        CREATE VIEW seen AS SELECT * FROM items;
        INSERT INTO items SELECT i, '2020-01-01' FROM generate_series(1, 10) i""")
    house.say(GOOD, "table = items\nwhere = note < :T\napprove = never")
    house.pruned.settings["run.jobs"] = "none"
    return house


def start(house):  # noqa: F811
    house.start()
    daemon = house.pruned.start()
    daemon.wait_line("Partitions assigned")
    return daemon


def tick(house, job, minutes=1):  # noqa: F811
    return house.pruned.wait_run(house.pruned.run("tick", job, "--at", now(minutes=-minutes).isoformat()).ok().stdout.strip())


def refused(daemon):
    return {line["job"]: line for line in daemon.lines("Job refused")}


def add_folder(house):  # noqa: F811
    """SQL files with a column that does not exist in line 2 of one of them."""
    house.pruned.run("jobs", "show", GOOD, "--to", house.folder).ok()
    (house.folder / GOOD).rename(house.folder / FOLDER)
    page = house.folder / FOLDER / "page.sql"
    page.write_text("-- The rows that go.\n" + page.read_text().replace("note", "nowhere"))
    return page


@pytest.mark.check_all
def test_wrong_jobs_are_refused_alone_with_their_places(items):
    for name, (text, _) in WRONG.items():
        items.say(name, text)
    page = add_folder(items)
    daemon = start(items)
    lines = refused(daemon)
    assert set(lines) == {*WRONG, FOLDER} and len(daemon.lines("Job refused", level="error")) == len(lines)
    for name, (_, words) in WRONG.items():
        assert lines[name]["place"] == f"{items.folder}/{name}.conf:{LINES.get(name, 2)}" and words in lines[name]["reason"], lines[name]
    assert lines[FOLDER]["place"].startswith(f"{page}:") and "nowhere" in lines[FOLDER]["reason"]
    for name in (*WRONG, FOLDER):
        run = tick(items, name)
        assert (run["state"], run["result"]["status"]) == ("finished", "blocked"), run
        assert run["result"]["reason"] == f"refused: {lines[name]['place']}: {lines[name]['reason']}"
    assert tick(items, GOOD)["result"]["removed"] == 10
    assert len(daemon.lines("Job refused")) == len(lines)
    assert daemon.stop() == 0


def listed(items, job):
    done = items.pruned.run("jobs", "--json")
    return done, next((line for line in done.json() if line["job"] == job), None)


@pytest.mark.check_all
@pytest.mark.parametrize("command", ["jobs", "config"])
def test_what_a_process_refuses_is_shown_with_its_reason(items, command):
    """The command reads only the file, which is right in itself; the process has asked the
    catalogue as well."""
    name = "no.column"
    items.say(name, WRONG[name][0])
    assert items.pruned.run(command, "--json").code == 0
    daemon = start(items)
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE refused IS NOT NULL", until=1)
    why = refused(daemon)[name]
    done = items.pruned.run(command, "--json")
    said, end = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.code == 2 and end["message"] == "1 job is refused", done
    assert [said[field] for field in ("job", "place", "reason")] == [name, why["place"], why["reason"]]
    assert said["process"].endswith(f" {daemon.pid}")
    if command == "jobs":
        wrong, right = (listed(items, job)[1] for job in (name, GOOD))
        assert (wrong["refused"], wrong["last_state"]) == (f"{why['place']}: {why['reason']}", "refused")
        assert right["refused"] is None
    items.say(name, "table = items\nwhere = note < :T")
    items.pruned.run("reload").ok()
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE refused = '[]'", until=1)
    assert items.pruned.run(command, "--json").code == 0


def test_a_job_whose_new_version_is_refused_is_shown_with_both(items):
    daemon = start(items)
    tick(items, GOOD)
    items.say(GOOD, WRONG["no.column"][0])
    daemon.send(signal.SIGHUP)
    daemon.wait_line("reloaded")
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE refused <> '[]'", until=1)
    done, line = listed(items, GOOD)
    assert done.code == 2 and "colour" in line["refused"] and line["last_state"] == "finished" and line["enabled"]


def test_config_needs_no_database(items):
    assert items.pruned.run("config", "--json", settings={"postgres.url": "postgresql://127.0.0.1:1/none"}).code == 0


@pytest.mark.check_all
def test_doctor_and_check_end_with_2(items):
    for name, (text, _) in WRONG.items():
        items.say(name, text)
    items.pruned.run("topics", "--apply").ok()
    for command in ("check", "doctor"):
        done = items.pruned.run(command, "--json")
        assert done.code == 2, done
        for name, (_, words) in WRONG.items():
            place = f"{items.folder}/{name}.conf"
            assert [one for one in done.json() if not one["ok"] and words in one["detail"]
                    and (place in one["detail"] and name in one["detail"] if command == "doctor" else (one["file"], one["job"]) == (place, name))], (name, done)


def test_a_table_that_comes_later_is_seen_by_a_reload(items):
    items.say("no.table", WRONG["no.table"][0] + "\napprove = never")
    daemon = start(items)
    run = tick(items, "no.table")
    assert run["result"]["status"] == "blocked"
    items.sql("CREATE TABLE itmes AS SELECT * FROM items; ALTER TABLE itmes ADD PRIMARY KEY (id)")
    daemon.send(signal.SIGHUP)
    assert daemon.wait_line("reloaded")["added"] == "no.table"
    wait_until(lambda: items.pruned.run_row(run["run_id"])["result"].get("removed") == 10, 30, "the blocked tick, tried again")
    assert len(items.rows("itmes")) == 0


@pytest.mark.check_all
def test_a_right_that_is_missing_is_a_warning(items):
    items.database.connection.execute(f"CREATE TABLE others (id bigint PRIMARY KEY, note timestamptz NOT NULL); INSERT INTO others VALUES (1, '2020-01-01')")
    items.say("others.purge", "table = others\nwhere = note < :T\napprove = never")
    daemon = start(items)
    assert refused(daemon) == {}
    [warning] = daemon.lines("Check of a job found a problem", job="others.purge")
    assert "others" in warning["detail"] and warning["remedy"]
    assert items.pruned.run("check", "others.purge").code == items.pruned.run("doctor").code == 3
    items.database.connection.execute(f"GRANT SELECT, UPDATE, DELETE ON others TO {ROLE}")
    assert tick(items, "others.purge")["result"]["removed"] == 1


@pytest.mark.check_all
def test_rows_that_are_hidden_are_a_warning(items):
    items.sql("CREATE TABLE others (id bigint PRIMARY KEY, note timestamptz NOT NULL); INSERT INTO others VALUES (1, '2020-01-01');"
              "ALTER TABLE others ENABLE ROW LEVEL SECURITY")
    items.say("others.purge", "table = others\nwhere = note < :T\napprove = never")
    daemon = start(items)
    assert refused(daemon) == {} and "row-level security" in daemon.lines("Check of a job found a problem")[0]["detail"]
    assert items.pruned.run("check", "others.purge").code == items.pruned.run("doctor").code == 3
    assert tick(items, "others.purge")["result"]["status"] == "blocked"
    items.sql("ALTER TABLE others DISABLE ROW LEVEL SECURITY")
    assert tick(items, "others.purge", minutes=2)["result"]["removed"] == 1


@pytest.mark.check_all
def test_an_index_that_is_missing_is_a_warning(items):
    items.sql("INSERT INTO items SELECT i, '2020-01-01' FROM generate_series(11, 20000) i; ANALYZE items")
    daemon = start(items)
    assert refused(daemon) == {}
    [warning] = daemon.lines("Check of a job found a problem", job=GOOD)
    assert "; this index avoids it" in warning["detail"] and warning["remedy"].startswith("CREATE INDEX")
    found = items.pruned.run("doctor", "--json")
    assert found.code == 6 and [one["remedy"] for one in found.json() if one["level"] == "error"] == [warning["remedy"]]
    assert tick(items, GOOD)["result"]["removed"] == 20000


def test_a_column_of_a_folders_cursor_that_can_be_null_is_refused(items):
    """A comparison with the cursor never finds such a row."""
    files = {
        "job.conf": "[job]\nstarts = tick\ntable = items\ncursor = kind int; id bigint\n[what removed]\n",
        "page.sql": "SELECT i.id AS key, i.kind, i.id FROM items i WHERE (i.kind, i.id) > (:cursor.kind::int, :cursor.id::bigint)"
                    " ORDER BY i.kind, i.id LIMIT :limit::int\n",
        "apply/removed/10-items.sql": "DELETE FROM items i USING unnest(:key::bigint[]) k (id) WHERE i.id = k.id RETURNING i.id AS key, to_jsonb(i.*) AS row\n"}
    for file, text in files.items():
        path = items.folder / FOLDER / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    daemon = start(items)
    assert list(refused(daemon)) == [FOLDER] and "column kind can be NULL: " in refused(daemon)[FOLDER]["reason"]
    page = items.folder / FOLDER / "page.sql"
    page.write_text(page.read_text().replace(" ORDER BY", " AND i.kind IS NOT NULL ORDER BY"))
    items.pruned.run("reload").ok()
    [warning, *again] = daemon.lines("Check of a job found a problem", job=FOLDER)
    assert warning["check"] == "cursor" and warning["detail"].startswith("column kind can be NULL: ")
    assert all(line["check"] == "cursor" for line in again)


@pytest.mark.check_all
def test_a_table_that_cannot_be_looked_at_refuses_nothing(items):
    """Somebody alters it while the daemon starts."""
    items.start()
    with items.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE items")
        daemon = start(items)
        other.execute("ROLLBACK")
    assert refused(daemon) == {} and len(daemon.lines("Check of a job found a problem", job=GOOD)) == 1
    assert tick(items, GOOD)["result"]["removed"] == 10


def test_without_postgresql_nothing_is_refused(items):
    items.say("no.table", WRONG["no.table"][0])
    items.start()
    daemon = items.pruned.start(settings={"postgres.url": "postgresql://127.0.0.1:1/x"})
    assert daemon.wait() == 3 and refused(daemon) == {}
