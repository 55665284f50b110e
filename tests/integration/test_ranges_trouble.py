"""A divided run whose job, settings or rows change while its ranges go: it ends as one run, and no
range is forgotten."""

import signal

import pytest

from stack.process import wait_until
from support.scene import fill, now, refuse_rows, result, send_tick, start, tick_id
from support.sentences import house  # noqa: F401

JOB, ITEMS = "scratch.remove", "items.purge"
INSIDE = "SELECT count(*) FROM pruned.runs WHERE range_of IS NOT NULL"


def left(place):
    return place.database.value("SELECT count(*) FROM scratch")


def hurry(place):
    place.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting'")


# --- another version of the job

@pytest.fixture
def items(house):  # noqa: F811
    """A run in three ranges, each of which has removed two rows and pauses. No process goes on."""
    house.sql("CREATE TABLE items (id bigint PRIMARY KEY, kind int NOT NULL);"
              "CREATE TABLE pairs (a text, b int, PRIMARY KEY (a, b));"
              "INSERT INTO items SELECT i, i % 2 FROM generate_series(1, 60) i;"
              "INSERT INTO pairs SELECT 'it''s ' || i, i FROM generate_series(1, 20) i")
    house.pruned.settings |= {f"jobs.{ITEMS}.ranges": 3}
    say(house, "items", "id > 0", 3600000)
    house.start()
    house.the_run = house.pruned.run("tick", ITEMS, "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    house.daemons.append(house.pruned.start())
    wait_until(lambda: house.database.value("SELECT count(*) FROM items") == 54, 60, "a page of each range")
    assert house.daemons[-1].stop() == 0
    return house


def say(house, table, where, delay_ms=0):  # noqa: F811
    house.say(ITEMS, f"table = {table}\nwhere = {where}\napprove = never\nbatch = 2\ndelay_ms = {delay_ms}")


def blocked_then_retried(house):  # noqa: F811
    hurry(house)
    house.daemons.append(house.pruned.start())
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE run_id = %s AND error LIKE 'blocked: %%'", [house.the_run], until=1)
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE range_of = %s AND state = 'ready'", [house.the_run], until=0)
    house.pruned.run("retry", house.the_run).ok()
    row = house.pruned.wait_run(house.the_run, deadline_s=60)
    assert house.database.value(INSIDE) == 0
    return row


def test_a_retry_with_the_new_version_is_of_all_ranges(items):
    say(items, "items", "id > 0 AND kind = 1")
    row = blocked_then_retried(items)
    assert (row["state"], items.database.value("SELECT count(*) FROM items WHERE kind = 1")) == ("finished", 0), row
    assert result(row)["removed"] == 60 - items.database.value("SELECT count(*) FROM items") == row["rows_done"]


@pytest.mark.check_all
def test_a_new_version_with_another_key_begins_at_its_first_row(items):
    """The new version cannot use the cursors by which the ranges were divided."""
    say(items, "pairs", "b > 0")
    row = blocked_then_retried(items)
    assert (row["state"], items.database.value("SELECT count(*) FROM pairs")) == ("finished", 0), row
    assert (result(row)["removed"], items.database.value("SELECT count(*) FROM items")) == (26, 54)


def test_another_primary_key_begins_at_its_first_row(items):
    """The table has another key of the same type: the cursors of the ranges say nothing of it."""
    items.sql("ALTER TABLE items ADD COLUMN nr bigint; UPDATE items SET nr = 61 - id;"
              "ALTER TABLE items ALTER nr SET NOT NULL, DROP CONSTRAINT items_pkey, ADD PRIMARY KEY (nr)")
    items.pruned.settings |= {f"jobs.{ITEMS}.delay_ms": 0}
    hurry(items)
    items.daemons.append(items.pruned.start())
    row = items.pruned.wait_run(items.the_run, deadline_s=60)
    assert (row["state"], items.database.value("SELECT count(*) FROM items")) == ("finished", 0), row
    assert result(row)["removed"] == 60 == row["rows_done"]
    assert items.database.value(INSIDE) == 0


# --- limits

@pytest.mark.check_first(2)
@pytest.mark.parametrize("before, after, words", [
    ("max_rows = 100000", "max_rows = 45", "400 rows are above max_rows 45"),
    ("max_rows = off", "max_rows = 45", "400 rows are above max_rows 45"),
    ("approve = never", "max_rows = 45", "400 rows are above max_rows 45"),
    ("max_share = 100 %", "max_share = 12 %", "400 rows are 111.1 % of scratch, above max_share 12 %"),
    ("max_share = off", "max_share = 12 %", "400 rows are 111.1 % of scratch, above max_share 12 %"),
])
def test_a_limit_that_a_reload_lowers_holds_for_all_ranges(new_scene, before, after, words):
    scene = new_scene()
    common = f"[jobs.{JOB}]\nranges = 4\ndelay_ms = 3600000\nmin_rows = 0\n"
    scene.configuration.write_text(common + before + "\n")
    scene.run("topics", "--apply").ok()
    fill(scene.database, 400)
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    daemon = scene.start()
    wait_until(lambda: left(scene) == 360, 60, "a page of each range")
    scene.configuration.write_text(common + after + "\n")
    daemon.send(signal.SIGHUP)
    daemon.wait_line("Configuration reloaded")
    hurry(scene)
    row = scene.wait_run(tick_id(JOB, at), "held", deadline_s=60)
    assert row["error"] == f"held: {words}"
    assert (row["rows_done"], left(scene), scene.database.value(INSIDE)) == (40, 360, 0)


@pytest.mark.check_all
@pytest.mark.parametrize("processes", [1, 2])
def test_an_approval_ends_for_all_ranges(new_scene, processes):
    """Each has done a page. What is left is counted of the whole run."""
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.max_rows": 300, f"jobs.{JOB}.delay_ms": 3600000})
    fill(scene.database, 400)
    run_id = send_tick(scene)
    start(scene, processes)
    scene.wait_run(run_id, "held")
    scene.run("approve", run_id).ok()
    wait_until(lambda: left(scene) == 360, 60, "a page of each range")
    scene.database.execute("UPDATE pruned.runs SET approved_until = approved_until - interval '24 hours'")
    wait_until(lambda: hurry(scene) or scene.run_row(run_id)["state"] not in ("waiting", "ready"), 60, "the end", poll_s=0.2)
    row = scene.run_row(run_id)
    assert (row["state"], row["error"], row["rows_done"]) == ("held", "held: 400 rows are above max_rows 300", 40), row
    assert (left(scene), scene.database.value(INSIDE)) == (360, 0)
    scene.run("approve", run_id).ok()
    wait_until(lambda: hurry(scene) or scene.run_row(run_id)["state"] not in ("waiting", "ready"), 60, "the end", poll_s=0.2)
    assert (scene.run_row(run_id)["state"], result(scene.run_row(run_id))["removed"], left(scene)) == ("finished", 400, 0)


# --- a run that dies

@pytest.mark.check_all
def test_a_run_dies_once_it_has_taken_its_ranges_in(new_scene):
    """The run's own range fails: the outcome of its death covers all ranges."""
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.approve": "never", f"jobs.{JOB}.max_attempts": 0,
                       f"jobs.{JOB}.batch": 20, f"jobs.{JOB}.delay_ms": 3600000})
    fill(scene.database, 400)
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    scene.start()
    wait_until(lambda: left(scene) == 320, 60, "a page of each range")
    refuse_rows(scene.database, "OLD.id > 200", "RAISE EXCEPTION 'not now'")
    run_id = tick_id(JOB, at)
    wait_until(lambda: hurry(scene) or scene.run_row(run_id)["finished_at"], 20, "the end")
    row = scene.run_row(run_id)
    assert row["state"] == "dead", row
    [outcome] = wait_until(lambda: scene.topics.outcomes("RunFinished"), 30, "the end")
    gone = 400 - left(scene)
    assert (row["attempts"], row["rows_done"], scene.database.value(INSIDE)) == (1, gone, 0)
    assert outcome.value["state"] == "dead" and f'"removed":{gone}' in outcome.value["result"], outcome.value


IN_THE_WAY = """
    CREATE SEQUENCE tries;
    CREATE FUNCTION in_the_way() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      $$ BEGIN IF nextval('tries') <= 2 THEN PERFORM 1 / 0; END IF; RETURN NEW; END $$;
    CREATE TRIGGER in_the_way BEFORE UPDATE ON pruned.runs FOR EACH ROW
      WHEN (NEW.range_of IS NOT NULL AND NEW.step / 100000000 = 1) EXECUTE FUNCTION in_the_way()"""


def test_a_range_whose_row_cannot_be_written_is_not_charged(new_scene):
    """Neither its step nor the answer to its failure: its run does what is left, and is the one
    that is told of."""
    scene = new_scene({f"jobs.{JOB}.ranges": 4, f"jobs.{JOB}.approve": "never"})
    scene.run("topics", "--apply").ok()
    fill(scene.database, 400)
    scene.database.connection.execute(IN_THE_WAY)
    at = now(minutes=-1)
    scene.topics.tick(JOB, at)
    daemon = scene.start()
    run_id = tick_id(JOB, at)
    row = scene.wait_run(run_id, deadline_s=60)
    assert (row["state"], row["attempts"], row["rows_done"], left(scene)) == ("finished", 0, 400, 0)
    [line] = daemon.lines("A statement failed because of this run's row")
    assert line["run_id"] == run_id and result(row)["removed"] == 400
