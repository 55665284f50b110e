"""An approval lets exactly one run go, for a day and the counted rows plus 1 %, whatever the number
of processes, with or without Kafka."""

import threading

import pytest

from stack.process import wait_until
from support.scene import result
from support.two import JOB, LONG_PAUSE, RUNS, SETTINGS, Two

LIMIT = {f"jobs.{JOB}.max_rows": 20}
OLDER = ("UPDATE pruned.runs SET approved_at = approved_at - %(age)s::interval, approved_until = approved_until - %(age)s::interval "
         "WHERE run_id = ANY (%(ids)s::uuid[]) AND approved_until IS NOT NULL")


@pytest.fixture
def held(new_scene):
    """Makes two processes, and eight held runs of ROWS rows each. Returns (Two, ids)."""
    def make(rows, **settings):
        pair = Two(new_scene(SETTINGS | LIMIT | {f"jobs.{JOB}.{name}": value for name, value in settings.items()}))
        pair.add(rows)
        run_ids = pair.send()
        assert {row["error"] for row in pair.wait(run_ids, "held")} == {f"held: {rows} rows are above max_rows 20"}
        return pair, run_ids
    return make


def end_approvals(pair, run_ids):
    """A day has passed."""
    pair.database.execute(OLDER, {"age": "24 hours", "ids": run_ids})


def approve_at_once(scene, run_ids, times):
    """Runs commands side by side. Returns their results."""
    done = []
    threads = [threading.Thread(target=lambda id=run_id: done.append(scene.run("approve", id))) for run_id in run_ids for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return done


@pytest.mark.check_all
def test_exactly_the_approved_runs_go_however_often_they_are_approved(held):
    pair, run_ids = held(30)
    approved, others = run_ids[:2], run_ids[2:]
    assert [done.code for done in approve_at_once(pair.scene, approved, 3)] == [0] * 6
    for row in pair.wait(approved):
        assert (row["state"], row["attempts"], row["rows_done"], row["approved_rows"], result(row)["removed"]) == ("finished", 0, 30, 30, 30)
    assert pair.scene.run("approve", approved[0]).code == 0  # it has ended
    assert pair.gone(run_ids) == [30, 30] + [0] * (RUNS - 2)
    assert {(row["state"], row["approved_at"], row["step"]) for row in map(pair.scene.run_row, others)} == {("held", None, 0)}
    noted = pair.database.column("SELECT object FROM pruned.journal WHERE command = 'approve' ORDER BY object")
    assert noted == sorted(approved)  # each approval was one


@pytest.mark.check_all
def test_an_approval_that_comes_into_force_late_lets_nothing_go(held):
    """The job is paused meanwhile, and both processes work."""
    pair, run_ids = held(30)
    pair.scene.run("pause", JOB).ok()
    late, in_time = run_ids[:2], run_ids[2:4]
    for run_id in late + in_time:
        pair.scene.run("approve", run_id).ok()
    pair.database.execute(OLDER, {"age": "24 hours", "ids": late})
    pair.database.execute(OLDER, {"age": "23 hours 55 minutes", "ids": in_time})
    pair.scene.run("resume", JOB).ok()
    assert [result(row)["removed"] for row in pair.wait(in_time)] == [30, 30]
    for row in pair.wait(late, "held", "finished"):
        assert (row["state"], row["error"], row["approved_at"], row["approved_until"]) == ("held", "held: 30 rows are above max_rows 20", None, None)
    assert pair.gone(run_ids) == [0, 0, 30, 30] + [0] * (RUNS - 4)
    pair.scene.run("approve", late[0]).ok()
    assert result(pair.wait([late[0]])[0])["removed"] == 30
    assert pair.gone(run_ids) == [30, 0, 30, 30] + [0] * (RUNS - 4)


@pytest.mark.check_all
@pytest.mark.parametrize("rows, batch", [(100, 40), (30, 5)])
def test_an_approval_that_ends_between_two_pages_ends_the_run_there(held, rows, batch):
    """Also where the next page alone would be within the limits."""
    pair, run_ids = held(rows, batch=batch, delay_ms=LONG_PAUSE)
    for run_id in run_ids[:3]:
        pair.scene.run("approve", run_id).ok()
    pair.wait(run_ids[:3], "waiting")
    end_approvals(pair, run_ids[:2])
    for run_id in run_ids[:2]:
        done = pair.scene.run("approve", run_id)
        assert done.code == 1 and f"run {run_id} is waiting: only a held run can be approved" in done.stderr, done
    wait_until(lambda: [pair.on(), pair.scene.run_row(run_ids[2])["state"] == "finished"][1], 60, "the third run", poll_s=0.2)
    for row in pair.wait(run_ids[:2], "held", "finished"):
        assert (row["state"], row["error"], row["approved_at"]) == ("held", f"held: {rows} rows are above max_rows 20", None)
    assert pair.gone(run_ids) == [batch, batch, rows] + [0] * (RUNS - 3)
    pair.scene.run("approve", run_ids[0]).ok()
    wait_until(lambda: [pair.on(), pair.scene.run_row(run_ids[0])["state"] == "finished"][1], 60, "the first run", poll_s=0.2)
    assert pair.gone(run_ids) == [rows, batch, rows] + [0] * (RUNS - 3)


@pytest.mark.check_all
def test_a_run_whose_approval_has_ended_goes_on_within_its_limits(held):
    """What has gone and what remains is counted once: it fits. A run that grows after that stops
    before its limit."""
    pair, run_ids = held(30, batch=5, delay_ms=LONG_PAUSE)
    fits, grows = run_ids[:2]
    for run_id in (fits, grows):
        pair.scene.run("approve", run_id).ok()
    wait_until(lambda: all(row["state"] == "waiting" and row["rows_done"] == 5 for row in map(pair.scene.run_row, (fits, grows))),
               60, "the first page of each")
    end_approvals(pair, [fits, grows])
    # they are not due any more
    pair.database.execute("UPDATE scratch SET day = '2999-01-01' WHERE id % 1000 > 20")
    steps = {run_id: pair.scene.run_row(run_id)["step"] for run_id in (fits, grows)}
    pair.on()
    wait_until(lambda: all(pair.scene.run_row(run_id)["step"] > step for run_id, step in steps.items()), 30, "a page of each")
    assert {(pair.scene.run_row(run_id)["rows_counted"], pair.scene.run_row(run_id)["approved_until"]) for run_id in steps} == {(20, None)}
    pair.add(10, [1])
    wait_until(lambda: [pair.on(), {pair.scene.run_row(run_id)["state"] for run_id in steps} <= {"finished", "held"}][1], 60,
               "both have ended", poll_s=0.2)
    row = pair.scene.run_row(fits)
    assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 20)
    row = pair.scene.run_row(grows)
    assert (row["state"], row["error"], row["rows_done"]) == ("held", "held: 30 rows are above max_rows 20", 20)


@pytest.mark.check_all
@pytest.mark.parametrize("until", ["now() - interval '1 ms'", "'-infinity'", "'1969-12-31'", "now() + interval '401 days'", "'infinity'"])
def test_whatever_the_end_of_an_approval_is_no_row_goes_after_a_day(held, until):
    """The last two: written while the database's clock was ahead, and by hand."""
    pair, run_ids = held(30, batch=5, delay_ms=LONG_PAUSE)
    pair.scene.run("approve", run_ids[0]).ok()
    pair.wait(run_ids[:1], "waiting")
    pair.database.execute(f"UPDATE pruned.runs SET approved_until = {until} WHERE run_id = %s", [run_ids[0]])
    wait_until(lambda: [pair.on(), pair.count("held") == RUNS][1], 60, "held again", poll_s=0.2)
    assert pair.gone(run_ids) == [5] + [0] * (RUNS - 1)


@pytest.mark.check_all
@pytest.mark.parametrize("when", ["first", "always"])
def test_an_approval_that_is_asked_for_holds_the_run_when_it_ends(new_scene, when):
    pair = Two(new_scene(SETTINGS | {f"jobs.{JOB}.{name}": value for name, value in
                                     {"approve": when, "batch": 2, "delay_ms": LONG_PAUSE, "max_rows": 20}.items()}))
    pair.add(6)
    run_ids = pair.send()
    pair.wait(run_ids, "held")
    pair.scene.run("approve", run_ids[0]).ok()
    pair.wait(run_ids[:1], "waiting")
    end_approvals(pair, run_ids[:1])
    wait_until(lambda: [pair.on(), pair.count("held") == RUNS][1], 60, "held again", poll_s=0.2)
    assert pair.scene.run_row(run_ids[0])["error"] == "held: this run needs another approval (6 rows)"
    assert pair.gone(run_ids) == [2] + [0] * (RUNS - 1)


@pytest.mark.check_all
@pytest.mark.parametrize("more, goes", [(2, True), (3, False)])
def test_one_percent_more_rows_go_and_not_one_beyond(held, more, goes):
    pair, run_ids = held(200)
    pair.scene.run("pause", JOB).ok()
    for run_id in run_ids[:4]:
        pair.scene.run("approve", run_id).ok()
    pair.add(more)
    pair.scene.run("resume", JOB).ok()
    rows = pair.wait(run_ids[:4], "held", "finished")
    assert {row["state"] for row in rows} == {"finished" if goes else "held"}
    assert pair.gone(run_ids) == [202 if goes else 0] * 4 + [0] * (RUNS - 4)


@pytest.mark.check_all
def test_approved_runs_that_grow_while_a_process_dies_go_no_further(held):
    """Each removes at most the counted rows plus 1 %, whichever process does its next page."""
    pair, run_ids = held(100, batch=10, delay_ms=LONG_PAUSE)
    for run_id in run_ids:
        pair.scene.run("approve", run_id).ok()
    pair.wait(run_ids, "waiting")
    pair.daemons[0].kill()

    def all_are_held():
        pair.add(2)
        pair.on()
        return pair.count("held") == RUNS

    wait_until(all_are_held, 90, "all are held again", poll_s=0.3)
    gone = pair.gone(run_ids)
    assert min(gone) >= 10 and max(gone) <= 101
    assert all(row["attempts"] == 0 and row["rows_done"] == n for row, n in zip(pair.wait(run_ids, "held"), gone))


@pytest.mark.check_all
def test_approve_waits_no_longer_than_it_is_told_and_says_why(held):
    """The approval counts. The run begins once its job is resumed and nothing is stopped."""
    pair, [run_id, *_] = held(30)
    run = pair.scene.run
    run("pause", JOB).ok()
    done = run("approve", run_id, "--wait=1")
    assert done.code == 8 and f"run {run_id} has not ended after 1 s: job {JOB} is paused; pruned resume {JOB}" in done.stderr, done
    row = pair.scene.run_row(run_id)
    assert row["state"] in ("ready", "waiting") and row["approved_at"] is not None
    run("stop").ok()
    done = run("approve", run_id, "--wait=1")
    assert done.code == 8 and f"run {run_id} has not ended after 1 s: everything is stopped; pruned go" in done.stderr, done
    assert "Everything is stopped: the run waits until work goes on" in done.stderr and "The job is paused" in done.stderr
    done = run("approve", run_id, "--wait=soon")
    assert done.code == 1 and "--wait=soon: not a number of seconds" in done.stderr, done
    run("resume", JOB).ok()
    run("go").ok()
    done = run("approve", run_id, "--wait=60", "--json").ok()
    assert pair.scene.run_row(run_id)["result"]["removed"] == 30 and run_id in done.stdout


@pytest.mark.check_all
@pytest.mark.parametrize("command, ends, words", [("pause", "resume", "The job is paused"), ("stop", "go", "Everything is stopped")])
def test_approve_warns_of_what_keeps_the_run(held, command, ends, words):
    pair, run_ids = held(30)
    job = [pair.scene.run_row(run_ids[0])["job"]] if command == "pause" else []
    pair.scene.run(command, *job).ok()
    done = pair.scene.run("approve", run_ids[0]).ok()
    assert done.stderr.count(words) == 1, done
    pair.scene.run(ends, *job).ok()
    [row] = pair.wait(run_ids[:1])
    assert row["state"] == "finished"
    assert words not in pair.scene.run("approve", run_ids[1]).ok().stderr


@pytest.mark.check_all
@pytest.mark.parametrize("approve, when", [("first", "the first"), ("always", "each")])
def test_of_many_runs_that_begin_at_once_only_the_approved_one_goes(new_scene, approve, when):
    pair = Two(new_scene(SETTINGS | {f"jobs.{JOB}.approve": approve}))
    pair.add(3)
    run_ids = pair.send()
    assert {row["error"] for row in pair.wait(run_ids, "held", "finished")} == {f"held: {when} run of this job needs an approval (3 rows)"}
    pair.scene.run("approve", run_ids[5]).ok()
    assert result(pair.wait([run_ids[5]])[0])["removed"] == 3
    assert pair.gone(run_ids) == [3 if n == 5 else 0 for n in range(RUNS)]
    for row in pair.wait(pair.send(), "held", "finished"):  # somebody has looked at this version
        assert row["state"] == ("finished" if approve == "first" or row["args"]["first"] == 5001 else "held")


# --- without Kafka

@pytest.mark.check_all
def test_an_approval_is_a_row_and_the_run_goes_when_kafka_is_back(own_kafka, new_scene):
    pair = Two(new_scene(SETTINGS | LIMIT | {"kafka.session.timeout.ms": 60000}, bootstrap=own_kafka.bootstrap))
    pair.add(30)
    run_ids = pair.send()
    pair.wait(run_ids, "held")
    first, second, third, *others = run_ids
    scene = pair.scene
    own_kafka.kill()
    done = scene.run("approve", first, "--reason", "seen", deadline_s=15).ok()
    assert "its message could not be sent; a daemon will send it" in done.stderr and first in done.stdout
    row = scene.run_row(first)
    assert (row["state"], row["approved_rows"], row["approved_reason"], row["published_at"]) == ("ready", 30, "seen", None)
    assert scene.run("approve", first).code == 0  # it is approved already
    assert scene.run_row(first)["approved_at"] == row["approved_at"]
    done = scene.run("approve", second, "--wait=1")
    assert done.code == 8 and f"run {second} has not ended after 1 s, it is ready" in done.stderr
    scene.run("discard", third, deadline_s=15).ok()
    own_kafka.start()
    scene.topics.wait_for_groups()
    for row in pair.wait([first, second]):
        assert (row["state"], row["attempts"], result(row)["removed"]) == ("finished", 0, 30)
    assert pair.gone(run_ids) == [30, 30, 0] + [0] * len(others)
    assert scene.run_row(third)["state"] == "skipped" and {scene.run_row(run_id)["state"] for run_id in others} == {"held"}
