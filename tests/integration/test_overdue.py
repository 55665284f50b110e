"""Deadlines: rows that should have gone, with what keeps each, by the column that makes them due
and not by the condition."""

import json
from datetime import timedelta

import pytest

from stack.process import wait_until
from support.metrics import http, ready  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "orders.purge"
SENTENCE = "table = orders\nwhere = at < :T - interval '30 days' AND flag\nschedule = 0 2 * * *\nmax_share = off\ndeadline = 7 days\n"
# The day of each row's `at`, so many days ago; `flag`; what keeps it. A row is due after 30 days,
# near its deadline after 35.6, and past it after 37.
ROWS = [(1, 38, True, "goes"), (2, 36, True, None), (3, 31, True, None), (4, 29.5, True, None), (5, 20, True, None), (6, None, True, None),
        (7, 40, False, "no rule"), (8, 44, True, "hold"), (9, 45, True, "failed"), (10, 46, True, "parked"), (11, 38, True, "goes")]


def night(house, job=JOB, code=None):  # noqa: F811
    house.database.execute("UPDATE pruned.processes SET seen_at = now()")
    done = house.pruned.run("night", "--json")
    assert code is None or done.code == code, done
    return next((one for one in done.json() if one["job"] == job), None)


def doctor(house):  # noqa: F811
    return [one["detail"] for one in house.pruned.run("doctor", "--quiet", "--json").json() if one["check"] == "deadlines"]


def runs(house, **settings):  # noqa: F811
    said = {"enabled": True, "mode": "apply", "schedule": "0 2 * * *", "time_zone": "UTC", "deadline": "7 days"} | settings
    house.database.execute("DELETE FROM pruned.processes")
    house.database.execute(
        "INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, jobs) VALUES (gen_random_uuid(), 'p', 1, '0', now() - interval '5 minutes', '', %s)",
        [json.dumps({JOB: said})])


@pytest.fixture
def scene(house):  # noqa: F811
    house.sql("CREATE TABLE orders (id bigint PRIMARY KEY, at timestamptz, flag boolean); CREATE INDEX orders_at ON orders (at)")
    for n, days, flag, _ in ROWS:
        house.database.execute("INSERT INTO orders VALUES (%s, now() - %s::float8 * interval '1 day', %s)", [n, days, flag])
    house.say(JOB, SENTENCE)
    house.sql("""INSERT INTO pruned.quarantine (job, item, attempts, reason, parked, next_try_at) VALUES
        ('orders.purge', 'orders:9', 1, 'no luck', false, now() + interval '1 hour'), ('orders.purge', 'orders:10', 25, 'no luck', true, now())""")
    house.pruned.run("hold", "orders:8", "--reason", "court").ok()
    return house


def test_each_row_with_what_keeps_it(scene):
    own = {"no rule": 1, "hold": 1, "failed": 1, "parked": 1}
    # Nobody runs.
    line = night(scene)
    assert line["overdue"]["rows"] == own | {"no process": 2}
    assert line["says"].startswith("NO PROCESS RUNS; 5 rows are ") and line["needs_somebody"]
    assert (line["overdue"]["late"], line["overdue"]["due"], line["overdue"]["inflow"]) == (6, 8, 1)
    # A process runs. The oldest is the one in quarantine: 46 days, due for 16.
    runs(scene)
    line = night(scene)
    assert (line["state"], line["overdue"]["rows"]) == ("failing", own | {"none": 2})
    assert abs(line["overdue"]["oldest_s"] - 16 * 86400) < 60 and line["overdue"]["oldest"] == "orders:10"
    assert "5 rows are 9 d past their deadline" in line["says"]
    assert line["overdue"]["deadline_s"] == 7 * 86400
    (said,) = doctor(scene)
    assert said.startswith(f"{JOB}: 5 rows are 9 d past their deadline") and "8 are due, 1 become due and 0 go in a day: at this rate they are never caught up" in said
    for why, change, back in [
            ("paused", "INSERT INTO pruned.controls (job, paused) VALUES ('orders.purge', true)", "DELETE FROM pruned.controls"),
            ("stopped", "UPDATE pruned.stop SET stopped = true", "UPDATE pruned.stop SET stopped = false"),
            ("blocked", "INSERT INTO pruned.blocked VALUES ('orders.purge', '', gen_random_uuid(), now(), '{}', 'x', now(), now(), 0, now())", "DELETE FROM pruned.blocked")]:
        scene.database.execute(change)
        assert night(scene)["overdue"]["rows"] == own | {why: 2}, why
        scene.database.execute(back)
    runs(scene, mode="plan")
    assert night(scene)["overdue"]["rows"] == own | {"plan": 2}
    runs(scene, enabled=False)
    assert night(scene)["overdue"]["rows"] == own | {"off": 2}
    # The condition does not match any more: the column tells it all the same.
    runs(scene)
    scene.sql("DELETE FROM pruned.quarantine; DELETE FROM pruned.holds")
    scene.say(JOB, SENTENCE.replace("AND flag", "AND flag AND id < 0"))
    line = night(scene)
    assert (line["state"], line["overdue"]["rows"]) == ("past", {"no rule": 6}) and "no rule names them" in line["says"]
    # What goes, goes.
    scene.say(JOB, SENTENCE.replace("AND flag", ""))
    scene.done(JOB, at=now(minutes=-1))
    runs(scene)
    line = night(scene)
    assert (line["overdue"]["rows"], line["overdue"]["oldest_s"], line["overdue"]["nights"]) == ({}, 0, 0) and not doctor(scene)


# A type of the column, what stands in it for a time, the rest of the sentence.
TYPES = [("date", "(now() - %s * interval '1 day')::date", "where = at < :T\ndue = at + 0 days"),
         ("timestamp", "(now() - %s * interval '1 day') AT TIME ZONE 'UTC'", "where = at < :T"),
         ("timestamptz", "now() - %s * interval '1 day'", "where = at < :T"),
         ("bigint", "(extract(epoch FROM now() - %s * interval '1 day') * 1000)::bigint", "where = to_timestamp(at / 1000) < :T\ndue = at + 0 days\ndue_unit = ms"),
         ("integer", "(extract(epoch FROM now() - %s * interval '1 day') / 86400)::integer", "where = to_timestamp(at * 86400) < :T\ndue = at + 0 days\ndue_unit = days")]


def test_columns_of_other_types_and_partitions_and_none(house):  # noqa: F811
    for n, (kind, value, rest) in enumerate(TYPES):
        whole = f"PARTITION BY HASH (id); CREATE TABLE t{n}_0 PARTITION OF t{n} FOR VALUES WITH (MODULUS 2, REMAINDER 0);"\
                f" CREATE TABLE t{n}_1 PARTITION OF t{n} FOR VALUES WITH (MODULUS 2, REMAINDER 1)" if kind == "timestamptz" else ""
        house.sql(f"CREATE TABLE t{n} (id bigint, at {kind}, b int DEFAULT 1, PRIMARY KEY (id, b)) {whole}; CREATE INDEX t{n}_at ON t{n} (at)")
        for row, days in enumerate([9, 8.5, 5.5, 3, -3]):
            house.sql(f"INSERT INTO t{n} SELECT {row}, {value % days}")
        house.say(f"j{n}", f"table = t{n}\n{rest}\nschedule = 0 2 * * *\ndeadline = 7 days\n")
    house.sql("INSERT INTO t2 VALUES (77, '-infinity')")
    for n, (kind, _, _) in enumerate(TYPES):
        said = night(house, f"j{n}")["overdue"]
        assert (said["state"], said["rows"]) == (None, {"no process": 3 if n == 2 else 2}), (kind, said)
        assert abs(said["oldest_s"] - 9 * 86400) < 1.1 * 86400, (kind, said)
    # What cannot be known is no 0.
    house.sql("DROP INDEX t1_at")
    said = night(house, "j1")["overdue"]
    assert said["state"] == "no index of t1 begins with at" and (said["rows"], said["late"], said["oldest_s"]) == (None, None, None)
    assert any("no index of t1" in line for line in doctor(house))
    house.sql("ALTER TABLE t0 DROP COLUMN at")
    assert night(house, "j0")["overdue"]["state"] == "t0 has no column at"
    house.sql("DROP TABLE t2")
    assert night(house, "j2")["overdue"]["state"] == "there is no table t2"


def test_metrics_and_a_job_that_was_removed(scene, http):  # noqa: F811
    """A process looks; once the job is removed, its rule is still known."""
    scene.start()
    daemon = scene.pruned.start(settings={"http.listen": http.listen})
    daemon.wait_line("Partitions assigned")
    ready(http)
    failed = ("pruned_overdue_rows", frozenset({"job": JOB, "why": "failed"}.items()))
    seen = wait_until(lambda: failed in (seen := http.metrics()).samples and seen, 30, "a look")
    assert seen.samples[failed] == 1
    assert seen.of("pruned_overdue_rows", job=JOB, why="none") == 2 and seen.of("pruned_deadline_unknown", job=JOB) == 0
    assert abs(seen.of("pruned_oldest_overdue_seconds", job=JOB) - 16 * 86400) < 300
    daemon.stop()
    scene.database.execute("DELETE FROM pruned.processes")
    (scene.folder / f"{JOB}.conf").unlink()
    line = night(scene)
    assert (line["state"], line["needs_somebody"]) == ("removed", True)
    assert line["overdue"]["rows"] == {"no rule": 3, "hold": 1, "failed": 1, "parked": 1}
    assert timedelta(0) < timedelta(seconds=line["overdue"]["oldest_s"])
