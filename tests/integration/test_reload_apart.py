"""Processes whose jobs differ until the next reload: a tick that reaches one without its job is
done by another, or waits, or is refused."""

import json

import pytest

from stack.process import wait_until
from support.reloads import JOB, OTHER, ended, hang_up, items, left, sentence, start  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401


def test_a_tick_that_a_process_without_the_job_meets_says_which_process(items):  # noqa: F811
    daemon = start(items)
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    items.pruned.topics.tick(OTHER, now(minutes=-1))
    [letter] = items.pruned.topics.wait("dead", lambda m: True)
    reason = letter.headers["pruned_reason"]
    assert reason.startswith(f"unknown job {OTHER}: process {daemon.process.pid} on ") and "pruned reload" in reason, reason
    hang_up(daemon)
    items.pruned.run("dead", "retry", "--yes").ok()
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'finished'", [OTHER], until=1)
    assert left(items) == 5


def another_process(house, *jobs, seen="now()"):  # noqa: F811
    """A process that has noted that it has JOBS."""
    settings = json.dumps({job: {"capacity": 3} for job in jobs})
    house.database.execute(f"""INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs)
        VALUES (gen_random_uuid(), 'elsewhere', 1, '1', now(), {seen}, '', %s)""", [settings])


def waiting(house, job):  # noqa: F811
    house.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state = 'waiting'", [job], until=1)
    return house.database.row("SELECT run_id, error, unique_key, slot FROM pruned.runs WHERE job = %s", [job])


def test_a_tick_of_a_job_that_only_another_process_has_waits_for_it(items):  # noqa: F811
    daemon = start(items)
    another_process(items, OTHER)
    items.pruned.topics.tick(OTHER, now(minutes=-1))
    row = waiting(items, OTHER)
    assert row["error"] == "waits for a process that has the job" and row["unique_key"] is None and 0 <= row["slot"] < 3
    assert left(items) == 10 and items.pruned.topics.read("dead") == []
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    hang_up(daemon)
    assert ended(items, str(row["run_id"])) == ("completed", 5)
    assert items.pruned.run_row(str(row["run_id"]))["error"] is None


@pytest.mark.check_first(1)
@pytest.mark.parametrize("text, args, reason", [
    (sentence("kind = 1"), {"x": 1}, "unknown argument x"),
    ("table = items\non = ItemGone\napprove = never\n", {}, f"job {OTHER} takes no ticks")])
def test_a_tick_that_waited_for_its_job_is_refused_by_it(items, text, args, reason):  # noqa: F811
    """The page of a job that takes no ticks would be its whole table."""
    daemon = start(items)
    another_process(items, OTHER)
    items.pruned.topics.tick(OTHER, now(minutes=-1), args=args)
    row = waiting(items, OTHER)
    (items.folder / "event.conf").write_text("[event ItemGone]\ntopic = app-items\nkey = id\nmatch = any\n")
    items.say(OTHER, text + "max_attempts = 0\n")
    items.pruned.run("topics", "--apply")
    hang_up(daemon)
    assert items.pruned.wait_run(str(row["run_id"]), "dead")["error"] == reason and left(items) == 10


def test_a_process_that_is_gone_has_no_jobs(items):  # noqa: F811
    start(items)
    another_process(items, OTHER, seen="now() - interval '1 minute'")
    items.pruned.topics.tick(OTHER, now(minutes=-1))
    [letter] = items.pruned.topics.wait("dead", lambda m: True)
    assert letter.headers["pruned_reason"].startswith(f"unknown job {OTHER}: ")


@pytest.mark.check_all
def test_ticks_of_a_job_that_one_of_two_processes_has_are_all_done(items):  # noqa: F811
    daemons = [start(items)]
    items.say(OTHER, sentence("kind = 1"))
    items.pruned.run("topics", "--apply")
    daemons.append(items.pruned.start(name="second"))
    daemons[1].wait_line("Partitions assigned")
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE jobs ? %s", [OTHER], until=1)
    for n in range(1, 9):
        items.pruned.topics.produce("ticks", json.dumps({"job": OTHER, "scheduled_at": now(minutes=-n).isoformat()}).encode(), key=str(n))
    items.database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state IN ('finished', 'skipped')", [OTHER], until=8)
    assert left(items) == 5 and items.pruned.topics.read("dead") == []


@pytest.mark.check_all
def test_processes_say_that_their_versions_differ(items):  # noqa: F811
    """So do those of which only one has a job, until both have read the files again."""
    daemons = [start(items)]
    items.say(JOB, sentence("kind = 1"))
    items.say(OTHER, sentence("kind = 7"))
    items.pruned.run("topics", "--apply")
    daemons.append(items.pruned.start(name="second"))
    daemons[1].wait_line("Partitions assigned")

    def differing():
        return [line["differing"] for line in items.pruned.run("processes", "--json").ok().json()]

    wait_until(lambda: differing() == [f"{OTHER}, {JOB}"] * 2, 30, "differing versions")
    items.pruned.run("reload").ok()
    wait_until(lambda: differing() == [None] * 2, 30, "the same versions")
