"""A job that is left out at a start because a table is away: it is named, and comes back with the
table. A migration can rename a table for a while, and a process start meanwhile."""

import pytest

from stack.process import wait_until
from support.doctors import about
from support.exposition import Listening
from support.reloads import JOB, LINE, OTHER, ended, items, left, said, sentence, tick  # noqa: F401
from support.scene import now, result, tick_id
from support.sentences import house  # noqa: F401

PRUNE = "members.prune_deletions"
PAIR = [PRUNE, "members.schedule_prune_deletions"]  # the second starts the first


@pytest.fixture
def http():
    one = Listening()
    yield one
    one.close()


def gauge(http, job):
    return http.metrics().samples.get(("pruned_job_left_out", frozenset({("job", job)})))


def named(said_by):
    return sorted(line["detail"].split(" ")[0] for line in said_by)


@pytest.mark.check_all
@pytest.mark.built_in
def test_a_built_in_job_comes_back_with_its_table(new_scene, http):
    scene = new_scene({"run.jobs": "", "http.listen": http.listen})
    first = scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.job_states WHERE job = ANY (%s)", [PAIR], until=2)
    first.stop()
    scene.database.execute("ALTER TABLE members_deletion_schedules RENAME TO being_migrated")
    found = about(scene, "jobs")
    assert named(found) == PAIR and "members_deletion_schedules" in found[0]["detail"], found
    assert "[run] jobs" in found[0]["detail"] and scene.run("doctor").code != 0
    assert f"{PRUNE} is left out" in scene.run("jobs").ok().stdout

    daemon = scene.start()
    daemon.wait_line("Partitions assigned")
    wait_until(lambda: gauge(http, PRUNE) == 1, 30, "the metric")
    # Of such a process doctor can tell that it has left jobs out.
    assert scene.database.value("SELECT shared ->> 'run.jobs' FROM pruned.processes") == ""
    scene.database.execute("ALTER TABLE being_migrated RENAME TO members_deletion_schedules")
    assert sorted(daemon.wait_line(LINE)["added"].split(", ")) == PAIR
    wait_until(lambda: gauge(http, PRUNE) == 0, 30, "the metric")
    when = now(minutes=-1)
    scene.topics.tick(PAIR[1], when)
    assert result(scene.wait_run(tick_id(PAIR[1], when)))["status"] == "completed"
    wait_until(lambda: about(scene, "jobs") == [], 30, "doctor")


def test_a_process_that_has_left_a_built_in_job_out_is_named(stored):
    """It does not look again: it cannot, or is of an older version."""
    stored.database.execute("""INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, shared, jobs, versions, refused, partitions, housekeeping)
        SELECT gen_random_uuid(), h, 11, '1', now(), '', jsonb_build_object('run.jobs', j), '{}', '{}', '[]', 0, '[]' FROM (VALUES ('away', ''), ('chosen', 'none')) AS p (h, j)""")
    found = about(stored, "jobs")
    assert PRUNE in named(found) and all("the process away 11" in one["detail"] for one in found), found
    assert f"{PRUNE} is left out by the process away 11" in stored.run("jobs").stdout


def test_a_job_of_ones_own_comes_back_with_its_table(items):  # noqa: F811
    items.sql("ALTER TABLE items RENAME TO being_migrated")
    items.start()
    daemon = items.pruned.start()
    assert daemon.wait_line("Job refused")["job"] == JOB
    daemon.wait_line("Partitions assigned")
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE refused <> '[]'", until=1)
    [found] = about(items.pruned, "jobs")
    items.sql("ALTER TABLE being_migrated RENAME TO items")
    assert found["detail"].startswith(f"{JOB} is refused by the process ") and "items" in found["detail"]
    assert said(daemon.wait_line(LINE)) == {"added": JOB}
    assert ended(items, tick(items)) == ("completed", 10) and left(items) == 0


@pytest.mark.check_all
@pytest.mark.parametrize("change", ["its text", "another job"])
def test_what_has_been_written_since_does_not_come_with_it(items, change):  # noqa: F811
    """Nobody has said yet that it is as it should be."""
    items.sql("ALTER TABLE items RENAME TO being_migrated; CREATE TABLE others (id bigint PRIMARY KEY)")
    items.say(OTHER, "table = others\nwhere = id < 0\n")
    items.start()
    daemon = items.pruned.start()
    daemon.wait_line("Partitions assigned")
    items.say(JOB if change == "its text" else OTHER, sentence("true") if change == "its text" else "table = others\nwhere = true\n")
    items.sql("ALTER TABLE being_migrated RENAME TO items")
    daemon.wait_line("Jobs that were left out do not come back: the files of configuration and jobs have changed since they were read")
    assert daemon.lines(LINE) == [] and left(items) == 10
    items.pruned.run("reload").ok()
    daemon.wait_line(LINE)
