"""All processes and lanes together never change more rows in a day than `max_rows_per_day`, and no
fewer than it allows."""

import json
from contextlib import contextmanager

import pytest

from stack.process import wait_until
from support.scene import event_id, fill, now, result
from support.sentences import house  # noqa: F401

pytestmark = pytest.mark.built_in

JOB, GATE = "scratch.one", 4711
LIMIT = f"jobs.{JOB}.max_rows_per_day"
FOUR_LANES = {f"jobs.{JOB}.capacity": 4, f"jobs.{JOB}.batch": 1}
# A run whose end is set back goes to the archive.
RUNS = "(SELECT job, state, rows_done FROM pruned.runs UNION ALL SELECT job, state, rows_done FROM pruned.runs_done) AS r"
ENDED = f"SELECT count(*) FROM {RUNS} WHERE job = %s AND state IN ('finished', 'held')"
# Without those that wait a moment for the run before them.
WAITING = ("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
           " AND query_start < clock_timestamp() - interval '300 ms'")


@contextmanager
def closed(database, condition):
    """A gate: steps that end their run wait there if CONDITION (of NEW) holds. What they have
    changed is not committed."""
    database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION public.wait_at_gate() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = '20s' AS
          $$ BEGIN PERFORM pg_catalog.pg_advisory_xact_lock_shared({GATE}); RETURN NEW; END $$;
        CREATE TRIGGER gate BEFORE UPDATE ON pruned.runs FOR EACH ROW WHEN (NEW.state = 'finished' AND {condition})
          EXECUTE FUNCTION public.wait_at_gate()""")
    with database.connect() as keeper:
        keeper.execute("SELECT pg_advisory_lock(%s)", [GATE])
        yield


def send(scene, ids):
    for id in ids:
        scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": id}, key=str(id), ce_time=now(minutes=-1), ce_id=f"event {id}")


def all_ended(scene, number, job=JOB):
    scene.database.execute("UPDATE pruned.runs SET due_at = now() WHERE state = 'waiting' AND job = %s", [job])
    return scene.database.value(ENDED, [job]) == number


def wait_all(scene, number, job=JOB):
    wait_until(lambda: all_ended(scene, number, job), 90, "all runs have ended or are held", poll_s=0.5)


def gone(scene, number):
    """The rows of NUMBER that are gone. Each belongs to a finished run."""
    missing = number - scene.database.value("SELECT count(*) FROM scratch")
    assert scene.database.value(f"SELECT sum(rows_done) FROM {RUNS} WHERE job = %s AND state = 'finished'", [JOB]) == (missing or None)
    return missing


@pytest.mark.check_all
@pytest.mark.parametrize("processes", [1, 2])
def test_a_step_that_has_not_committed_counts(new_scene, processes):
    """The first row has passed the limits, and is committed only after others have used up the
    day."""
    most, number = 100, 160
    scene = new_scene({**FOUR_LANES, LIMIT: most})
    fill(scene.database, number)
    for n in range(processes):
        scene.start(name=f"process {n}").wait_line("Partitions assigned")
    with closed(scene.database, f"NEW.run_id = '{event_id('/test', 'event 1', JOB)}'"):
        send(scene, [1])
        scene.database.wait(WAITING, until=1)
        send(scene, range(2, number + 1))
        scene.database.wait(f"SELECT ({ENDED}) >= {most} OR ({WAITING}) > 1", [JOB])
    wait_all(scene, number)
    assert gone(scene, number) == most
    assert scene.database.column("SELECT DISTINCT error FROM pruned.runs WHERE state = 'held'") == [
        f"held: 1 row after {most} today is above max_rows_per_day {most}"]


FAMILY = """CREATE TABLE tb (id bigint PRIMARY KEY); CREATE TABLE tbc (id bigint PRIMARY KEY, tb_id bigint REFERENCES tb);
    CREATE INDEX ON tbc (tb_id); INSERT INTO tb SELECT generate_series(1, 49);
    INSERT INTO tbc SELECT i, (i - 1) / 30 + 1 FROM generate_series(1, 30 * 49) i"""


def test_large_children_in_several_lanes(house):  # noqa: F811
    """Each event takes 31 rows, of a page of one. All lanes are between their rows and their commit
    at once."""
    most, job, topics = 400, "tb.erase", house.pruned.topics
    house.sql(FAMILY)
    topics.make("app-tb", 2)
    (house.folder / "event-Erase.conf").write_text(f"[event Erase]\ntopic = {topics.full('app-tb')}\nformat = json\nkey = id\nmatch = any\n")
    house.say(job, f"table = tb\non = Erase\nchildren = tbc\nbatch = 1\ncapacity = 4\nmax_share = off\nmax_rows_per_day = {most}")
    house.start()
    house.pruned.start(settings={"run.workers": 8}).wait_line("Partitions assigned")

    def erase(ids):
        for id in ids:
            topics.produce("app-tb", json.dumps({"id": id}).encode(), headers={"content-type": "application/json"})

    erase(range(1, 10))
    house.database.wait(ENDED, [job], until=9)
    with closed(house.database, f"NEW.job = '{job}'"):
        erase(range(10, 50))
        house.database.wait(WAITING, until=4)
    wait_all(house, 49, job)
    removed = 49 - house.database.value("SELECT count(*) FROM tb")
    assert house.database.value("SELECT count(*) FROM tbc") == 30 * (49 - removed)
    assert house.database.value("SELECT sum(rows_done) FROM pruned.runs WHERE job = %s", [job]) == 31 * removed
    assert removed == most // 31


@pytest.mark.check_all
def test_steps_that_are_rolled_back_take_nothing(new_scene):
    """Each run fails twice after it has passed its limits. Others can use what it had taken at
    once."""
    most, number = 60, 80
    scene = new_scene({**FOUR_LANES, LIMIT: most})
    fill(scene.database, number)
    scene.database.connection.execute("""
        CREATE SEQUENCE public.tries;
        GRANT USAGE ON SEQUENCE public.tries TO PUBLIC;
        CREATE FUNCTION public.fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF pg_catalog.nextval('public.tries') % 3 <> 0 THEN
            RAISE EXCEPTION 'somebody is in the way' USING ERRCODE = 'serialization_failure';
          END IF;
          RETURN NEW; END $$;
        CREATE TRIGGER fail BEFORE UPDATE ON pruned.runs FOR EACH ROW WHEN (NEW.state = 'finished' AND NEW.rows_done > 0)
          EXECUTE FUNCTION public.fail_twice()""")
    scene.start().wait_line("Partitions assigned")
    send(scene, range(1, number + 1))
    wait_all(scene, number)
    assert gone(scene, number) == most


@pytest.mark.check_all
def test_rows_that_went_while_there_was_no_limit_count(new_scene):
    scene = new_scene(FOUR_LANES)
    fill(scene.database, 80)
    for limit, ids, left in ((50, range(1, 11), 70), ("off", range(11, 31), 50), (40, range(31, 81), 40)):
        daemon = scene.start(settings={LIMIT: limit})
        send(scene, ids)
        wait_all(scene, ids[-1])
        daemon.stop()
        assert scene.database.value("SELECT count(*) FROM scratch") == left


@pytest.mark.check_all
def test_an_approved_run_goes_past_the_day_and_its_rows_count_for_others(new_scene):
    scene = new_scene({**FOUR_LANES, LIMIT: 30})
    fill(scene.database, 60)
    scene.start().wait_line("Partitions assigned")
    send(scene, range(1, 41))
    wait_all(scene, 40)
    assert gone(scene, 60) == 30
    held = scene.database.column("SELECT run_id::text FROM pruned.runs WHERE state = 'held' ORDER BY run_id")
    for run_id in held[:4]:
        scene.run("approve", run_id).ok()
        assert result(scene.wait_run(run_id))["removed"] == 1
    assert gone(scene, 60) == 34
    scene.database.execute("UPDATE pruned.runs SET finished_at = finished_at - interval '25 hours' WHERE run_id IN "
                           "(SELECT run_id FROM pruned.runs WHERE state = 'finished' AND rows_done > 0 ORDER BY run_id LIMIT 6)")
    send(scene, range(41, 61))
    wait_all(scene, 60)
    assert gone(scene, 60) == 36  # two more than 34: 28 of the 34 are of this day
