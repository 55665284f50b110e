"""A run of which each due row has failed is no success, whoever asks."""

from support.metrics import counted, http  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "orders.purge"
SCENE = """
    CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean);
    CREATE TABLE refunds (id bigint PRIMARY KEY, order_id bigint CONSTRAINT refunds_order_id_fkey REFERENCES orders);
    INSERT INTO orders SELECT n, true FROM generate_series(1, 12) n; INSERT INTO refunds SELECT n, n FROM generate_series(1, 12) n"""
SENTENCE = "table = orders\nwhere = gone\nbatch = 5\ndelay_ms = 0\nmax_share = off\n"


def test_all_due_rows_fail_and_one_goes(house):  # noqa: F811
    """Twelve rows on three pages. What has failed is tried again as ever."""
    house.sql(SCENE)
    house.say(JOB, SENTENCE)
    run = house.run(JOB)
    counted = {word: run["result"][word] for word in ("status", "failed", "updated_rows")}
    assert (run["state"], counted) == ("finished", {"status": "failed", "failed": 12, "updated_rows": 0}), run
    assert "refunds_order_id_fkey" in run["error"] and run["error"].startswith("12 rows were due, and all failed: "), run
    assert [one["run_id"] for one in house.pruned.run("runs", "--state", "failed", "--json").ok().json()] == [str(run["run_id"])]
    (job,) = [one for one in house.pruned.run("jobs", "--json").ok().json() if one["job"] == JOB]
    assert job["last_state"] == "failed"
    (ended,) = house.daemons[-1].lines("Run ended")
    assert (ended["state"], ended["status"]) == ("finished", "failed")
    house.sql("DELETE FROM refunds WHERE id = 3; UPDATE pruned.quarantine SET next_try_at = now()")
    assert house.done(JOB, at=now())[0] == {"removed": 1, "updated_rows": 1, "failed": 11}


def test_no_success_is_counted_until_a_run_has_one(house, http):  # noqa: F811
    house.sql(SCENE)
    house.say(JOB, SENTENCE)
    house.start()
    house.pruned.start(settings={"http.listen": http.listen})
    told = house.pruned.run("tick", JOB, "--at", now(minutes=-2).isoformat(), "--wait")
    assert told.code == 7 and "12 rows were due, and all failed" in told.stdout, told
    assert counted(http, 1, "pruned_runs", job=JOB, state="finished").of("pruned_last_success_timestamp_seconds", job=JOB) == 0
    house.sql("DELETE FROM refunds; UPDATE pruned.quarantine SET next_try_at = now()")
    house.pruned.run("tick", JOB, "--wait").ok()
    counted(http, 1, "pruned_last_success_timestamp_seconds", job=JOB)
