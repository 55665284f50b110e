"""Limits and quiet hours hold while two processes work side by side and an application adds
rows."""

import pytest

from stack.process import wait_until
from support.scene import configure, hours, now, result, send_tick
from support.two import JOB, LONG_PAUSE, RUNS, SETTINGS, Two

WIDE = "scratch.wide"
OTHERS = 280  # rows that are not due


@pytest.fixture
def two(new_scene):
    """Makes two processes, with these settings of the job."""
    def make(**settings):
        return Two(new_scene(SETTINGS | {f"jobs.{JOB}.{name}": value for name, value in settings.items()}))
    return make


# --- limits, while rows are added between the count and the pages

def run_before(two, rows):
    """As many runs as a usual number needs, each of ROWS rows."""
    for _ in range(5):
        two.add(rows, [0])
        [run_id] = two.send(1)
        assert two.wait([run_id])[0]["state"] == "finished"


@pytest.mark.check_all
def test_max_rows_while_each_run_grows(two):
    pair = two(max_rows=20, batch=5, delay_ms=LONG_PAUSE)
    pair.add(15)
    grows_until_held(pair, pair.send(), lambda: 20, "are above max_rows 20")


@pytest.mark.check_all
def test_max_share_while_each_run_grows(two):
    """Rows that are added make the table larger, and with it what may go."""
    pair = two(max_share="5 %", min_rows=0, batch=5, delay_ms=LONG_PAUSE)
    pair.database.execute("INSERT INTO scratch SELECT i, '2999-01-01' FROM generate_series(100001, 100000 + %s::bigint) i", [OTHERS])
    pair.add(15)
    grows_until_held(pair, pair.send(), lambda: (OTHERS + sum(pair.added)) * 5 / 100, "% of scratch, above max_share 5 %")


@pytest.mark.check_all
def test_max_ratio_while_each_run_grows(two):
    pair = two(max_ratio=3, min_rows=0, batch=5, delay_ms=LONG_PAUSE)
    run_before(pair, 4)
    pair.added[0] = 0
    pair.add(10)
    grows_until_held(pair, pair.send(), lambda: 12, "times the usual 4, above max_ratio 3")


@pytest.mark.check_all
def test_the_rows_of_a_day_while_each_run_grows(two):
    pair = two(max_rows_per_day=50, batch=5, delay_ms=LONG_PAUSE)
    pair.add(15)
    gone = grows_until_held(pair, pair.send(), lambda: 15, "above max_rows_per_day 50")
    assert sum(gone) == 50


def grows_until_held(pair, run_ids, most, error):
    """Each run has done a page when the others are added, a few at a time. None ends."""
    def all_are_held():
        pair.add(3)
        pair.on()
        return pair.count("held") == RUNS

    wait_until(lambda: pair.database.value("SELECT count(*) FROM pruned.runs WHERE step > 0 AND state = 'waiting'") == RUNS, 30, "a page of each")
    assert pair.gone(run_ids) == [5] * RUNS
    wait_until(all_are_held, 60, "all are held", poll_s=0.3)
    gone = pair.gone(run_ids)
    assert min(gone) >= 5 and max(gone) <= most(), (gone, most())
    assert all(row["error"].startswith("held: ") and row["error"].endswith(error) for row in pair.wait(run_ids, "held"))
    assert not any(daemon.lines(level="error") for daemon in pair.daemons)
    return gone


@pytest.mark.check_all
def test_a_count_that_is_over_touches_nothing_in_either_process(two):
    pair = two(max_rows=20, batch=5)
    pair.add(15)
    pair.add(6, [1, 4, 7])
    run_ids = pair.send()
    rows = pair.wait(run_ids, "finished", "held")
    assert [row["state"] for row in rows] == ["held" if n in (1, 4, 7) else "finished" for n in range(RUNS)]
    assert pair.gone(run_ids) == [0 if n in (1, 4, 7) else 15 for n in range(RUNS)]
    assert {rows[n]["error"] for n in (1, 4, 7)} == {"held: 21 rows are above max_rows 20"}


@pytest.mark.check_all
def test_runs_of_both_processes_only_plan(two):
    pair = two(mode="plan", batch=5)
    pair.add(12)
    run_ids = pair.send()
    for row in pair.wait(run_ids):
        assert (row["state"], result(row)["mode"], result(row)["removed"]) == ("finished", "plan", 12)
    assert pair.gone(run_ids) == [0] * RUNS


# --- off, and quiet hours

def begun(two):
    """Two processes with six runs that have done some pages."""
    pair = two(batch=1, delay_ms=20)
    pair.add(100)
    run_ids = pair.send(6)
    wait_until(lambda: pair.database.value("SELECT min(step) >= 3 AND count(*) = 6 FROM pruned.runs"), 60, "pages of each")
    return pair, run_ids


def wait_for_reason(pair, run_ids, reason):
    """The rows that are gone once each run waits for that reason."""
    wait_until(lambda: all(reason in (row["error"] or "") for row in pair.wait(run_ids, "waiting", "finished")), 30, "each says why it waits")
    gone = pair.gone(run_ids)
    assert all(3 <= n < 100 for n in gone) and {row["attempts"] for row in pair.wait(run_ids, "waiting")} == {0}
    assert pair.scene.wait_run(send_tick(pair.scene, WIDE, {"n": 1}))["state"] == "finished"
    return gone


def assert_go_on(pair, run_ids):
    pair.on()
    for row in pair.wait(run_ids):
        assert (row["state"], row["attempts"], row["error"], result(row)["removed"]) == ("finished", 0, None, 100)


@pytest.mark.check_all
def test_runs_of_both_processes_wait_while_the_job_is_off(two):
    pair, run_ids = begun(two)
    configure(pair.scene, f"[jobs.{JOB}]\nmode = off\n", *pair.daemons)
    gone = wait_for_reason(pair, run_ids, "mode off")
    pair.on()
    assert pair.scene.wait_run(send_tick(pair.scene, JOB, {"first": 1, "last": 1}))["error"] == "disabled"
    assert pair.gone(run_ids) == gone and {row["error"] for row in pair.wait(run_ids, "waiting")} == {"mode off"}
    configure(pair.scene, "", *pair.daemons)
    assert_go_on(pair, run_ids)


@pytest.mark.check_all
def test_runs_of_both_processes_pause_in_quiet_hours_and_go_on(two):
    pair, run_ids = begun(two)
    configure(pair.scene, f"[jobs.{JOB}]\nnot_between = {hours(-5, 55)}\n", *pair.daemons)
    gone = wait_for_reason(pair, run_ids, "quiet hours")
    new = send_tick(pair.scene, JOB, {"first": 7001, "last": 7999})  # none begins
    row = pair.scene.wait_run(new, "waiting")
    assert (row["step"], row["started_at"]) == (0, None) and "quiet hours" in row["error"]
    first, second = pair.daemons
    assigned = len(second.lines("Partitions assigned"))
    assert first.stop() == 0  # the other process has its lanes now, and is quiet as well
    second.wait_line("Partitions assigned", count=assigned + 1)
    pair.on()
    wait_until(lambda: all(row["due_at"] > now(minutes=30) for row in pair.wait(run_ids, "waiting")), 30, "each waits again")
    assert pair.gone(run_ids) == gone
    configure(pair.scene, "", second)
    assert_go_on(pair, [*run_ids, new])
