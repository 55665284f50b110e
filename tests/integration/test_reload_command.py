"""`pruned reload`: all processes load their jobs again, and the command waits for them and says
what they refused."""

import pytest

from stack.process import wait_until
from support.reloads import JOB, LINE, ended, items, sentence, start, tick  # noqa: F401
from support.sentences import house  # noqa: F401


def answers(done):
    return [line for line in done.json() if "answered" in line]


@pytest.mark.check_all
def test_the_command_reloads_all_processes_and_waits_for_them(items):  # noqa: F811
    daemons = [start(items), items.pruned.start(name="second")]
    daemons[1].wait_line("Partitions assigned")
    wait_until(lambda: len(items.pruned.run("processes", "--json").ok().json()) == 2, 30, "two processes")
    items.say(JOB, sentence("kind = 1"))
    done = items.pruned.run("reload", "--reason", "only odd ones", "--json").ok()
    assert [(line["answered"], line["changed"], line["refused"]) for line in answers(done)] == [(True, [JOB], [])] * 2
    assert all(len(daemon.lines(LINE)) == 1 for daemon in daemons)
    assert ended(items, tick(items)) == ("completed", 5)
    [note] = [line for line in items.pruned.run("journal", "--json").ok().json() if line["command"] == "reload" and line["reason"] == "only odd ones"]
    assert note["object"] == "all processes"


def test_the_command_says_what_was_refused(items):  # noqa: F811
    daemon = start(items)
    wait_until(lambda: items.pruned.run("processes", "--json").ok().json(), 30, "a process")
    items.say(JOB, sentence("colour = 'red'"))
    done = items.pruned.run("reload", "--json")
    [line] = answers(done)
    assert done.code == 2 and [(one["job"], "colour" in one["reason"]) for one in line["refused"]] == [(JOB, True)]
    assert JOB in items.pruned.run("reload").stdout
    items.say(JOB, sentence())
    items.pruned.run("reload").ok()
    assert daemon.stop() == 0


@pytest.mark.check_all
def test_what_is_shown_after_it_is_what_is_in_force(items):  # noqa: F811
    """Five times: a process registers anew each second, and may just have done it."""
    daemon = start(items)
    wait_until(lambda: items.pruned.run("processes", "--json").ok().json(), 30, "a process")

    def shown():
        return next(job for job in items.pruned.run("jobs", "--json").ok().json() if job["job"] == JOB)

    for mode in ("plan", "apply", "plan", "apply", "off"):
        items.say(JOB, sentence(more=f"batch = 2\nmode = {mode}"))
        items.pruned.run("reload").ok()
        assert shown()["mode"] == mode
    assert daemon.stop() == 0


STALE = """INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, jobs, partitions, seen_at)
    VALUES (gen_random_uuid(), 'killed', 1, '0', now(), '', '{}', 0, now() - interval '9 minutes 57 seconds')"""


@pytest.mark.check_all
def test_housekeeping_does_not_bring_back_what_a_reload_has_replaced(items):  # noqa: F811
    """It waits for a lock, and is about to write its row, while a reload is answered."""
    daemon = start(items)
    wait_until(lambda: items.pruned.run("processes", "--json").ok().json(), 30, "a process")
    items.database.execute(STALE)
    with items.database.connect() as other, other.transaction():
        other.execute("SELECT FROM pruned.processes WHERE host = 'killed' FOR UPDATE")
        items.database.wait("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM pruned.processes%'")
        items.say(JOB, sentence(more="batch = 2\nmode = plan"))
        items.pruned.run("reload").ok()
    items.database.wait("SELECT count(*) FROM pruned.processes WHERE host = 'killed'", until=0)
    assert next(job for job in items.pruned.run("jobs", "--json").ok().json() if job["job"] == JOB)["mode"] == "plan"
    assert daemon.stop() == 0


def test_the_command_without_processes(items):  # noqa: F811
    assert "no process runs" in items.pruned.run("reload").ok().stdout


def test_a_process_that_does_not_answer_is_waited_for(items):  # noqa: F811
    daemon = start(items)
    wait_until(lambda: items.pruned.run("processes", "--json").ok().json(), 30, "a process")
    daemon.freeze()
    done = items.pruned.run("reload", "--wait", "1")
    assert done.code == 8 and "1 of 1" in done.stderr
    daemon.thaw()
    daemon.wait_line(LINE)
