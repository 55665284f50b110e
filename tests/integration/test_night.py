"""`pruned night`, and what doctor and the metrics say of the same: what was done, what is usual,
and what needs a person."""

import json
from datetime import timedelta

import pytest

from support.metrics import counted, http  # noqa: F401
from support.scene import now
from support.sentences import house  # noqa: F401

JOB = "orders.purge"
SCENE = "CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean)"
SENTENCE = "table = orders\nwhere = gone\nmax_share = off\nschedule = 0 2 * * *\n"
REFUNDS = """
    INSERT INTO orders SELECT n, true FROM generate_series(1, 12) n;
    CREATE TABLE refunds (id bigint PRIMARY KEY, order_id bigint CONSTRAINT refunds_order_id_fkey REFERENCES orders);
    INSERT INTO refunds SELECT n, n FROM generate_series(1, 12) n"""


def nights(house, *rows, job=JOB):  # noqa: F811
    """What the job did in the nights before today, the last one first."""
    for n, done in enumerate(rows):
        at = now() - timedelta(days=n + 1)
        house.database.execute(
            "INSERT INTO pruned.nights (day, job, runs, others, rows, failed, last_run_id, last_at, last_ended)"
            " VALUES ((%s AT TIME ZONE 'UTC')::date, %s, 1, 0, %s, 0, gen_random_uuid(), %s, %s)", [at, job, done, at, at])


def runs(house, name="p"):  # noqa: F811
    """A process, so that not all is about there being none."""
    settings = json.dumps({job.stem: {"enabled": True, "mode": "apply", "schedule": "0 2 * * *", "time_zone": "UTC", "min_ratio": "0.1"}
                           for job in house.folder.glob("*.conf")})
    house.database.execute(
        "INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, jobs) VALUES (gen_random_uuid(), %s, 1, '0', now() - interval '5 minutes', '', %s)",
        [name, settings])


def night(house, *more, code=0, job=JOB):  # noqa: F811
    house.database.execute("UPDATE pruned.processes SET seen_at = now()")
    done = house.pruned.run("night", "--json", *more)
    assert done.code == code, done
    (line,) = [one for one in done.json() if one["job"] == job]
    return line


def doctor(house, check, age="0"):  # noqa: F811
    """What `doctor --quiet` says of CHECK. AGE: of the processes then; it waits for one that is no
    member of the group, unless that is young."""
    house.database.execute("UPDATE pruned.processes SET seen_at = now(), started_at = now() - %s::interval", [age])
    said = [one["detail"] for one in house.pruned.run("doctor", "--quiet", "--json").json() if one["check"] == check]
    house.database.execute("UPDATE pruned.processes SET started_at = now() - interval '5 minutes'")
    return said


def test_rows_that_fail_with_their_reason_and_a_command(house):  # noqa: F811
    house.sql(SCENE + ";" + REFUNDS)
    house.say(JOB, SENTENCE)
    run = house.run(JOB, at=now(minutes=-1))
    runs(house)
    said = night(house)
    assert (said["state"], said["says"], said["needs_somebody"]) == ("failing", "12 fail: refunds_order_id_fkey", True)
    assert said["commands"] == ["pruned quarantine list --all", f"pruned quarantine retry {JOB}"]
    assert (said["failing"], said["rows"], said["last_run_id"]) == (12, 0, str(run["run_id"]))
    assert "12 rows fail" in doctor(house, "failing rows")[0] and "no other row of its last run went" in doctor(house, "failing rows")[0]
    # One goes, and the others are tried again by themselves: nobody is asked, for a day.
    house.sql("DELETE FROM refunds WHERE id = 3; UPDATE pruned.quarantine SET next_try_at = now()")
    house.done(JOB, at=now())
    said = night(house)
    assert (said["says"], said["needs_somebody"], said["rows"]) == ("11 fail: refunds_order_id_fkey", False, 1)
    assert doctor(house, "failing rows") == []
    house.sql("UPDATE pruned.quarantine SET first_at = now() - interval '25 hours'")
    assert night(house)["needs_somebody"] and "the first for 25 h" in doctor(house, "failing rows")[0]


@pytest.mark.check_all
@pytest.mark.check_first(2)
@pytest.mark.parametrize("before, ratio, says", [
    ([20000] * 7, "0.1", "0 of usually 20,000"),
    ([20000] * 6, "0.1", None),                     # too few nights
    ([20000] * 7, "off", None),
    ([20000] * 5 + [0] * 2, "0.1", None),           # often nothing
    ([0] + [20000] * 9, "0.1", None),               # nothing before
    ([9] * 7, "0.1", None),                         # too few rows
], ids=["less", "six", "off", "often", "once", "small"])
def test_far_less_than_usual(house, before, ratio, says):  # noqa: F811
    house.sql(SCENE)
    house.say(JOB, SENTENCE + f"min_ratio = {ratio}\n")
    nights(house, *before)
    house.done(JOB, at=now(minutes=-1))
    said = night(house, code=0)
    assert said["usual"]["nights"] == len(before) and said["rows"] == 0
    less = "less than usual" in {one["check"] for one in house.pruned.run("doctor", "--quiet", "--json").json()}
    assert less == (says is not None)
    house.database.execute("DELETE FROM pruned.schedules")
    runs(house)
    if ratio == "0.1":
        said = night(house)
        assert (said["says"], said["needs_somebody"]) == ((says, True) if says else ("ok", False))
        assert said["commands"] == ([f"pruned plan {JOB}"] if says else [])


def test_what_was_done_since(house):  # noqa: F811
    house.sql(SCENE)
    house.sql("INSERT INTO orders SELECT n, true FROM generate_series(1, 5) n")
    house.say(JOB, SENTENCE)
    nights(house, 10, 20, 30)
    house.done(JOB, at=now(minutes=-1))
    runs(house)
    since = (now() - timedelta(days=2)).date().isoformat()
    assert night(house, "--since", since)["since"] == {"rows": 35, "runs": 3, "failed": 0}
    assert night(house)["usual"] == {"median": 20, "nights": 3, "low": 10, "high": 30}
    # The archive notes it: nothing is counted twice, and nothing is lost.
    house.sql("UPDATE pruned.runs SET finished_at = now() - interval '61 minutes'")
    house.work()
    assert house.database.value("SELECT count(*) FROM pruned.runs") == 0
    assert night(house, "--since", since)["since"] == {"rows": 35, "runs": 3, "failed": 0}


def test_a_tick_that_is_late_with_a_process_and_without(house):  # noqa: F811
    house.sql(SCENE)
    house.say(JOB, SENTENCE)
    house.database.execute("INSERT INTO pruned.schedules VALUES (%s, now() - interval '2 hours', '0 2 * * * UTC')", [JOB])
    said = night(house, code=4)
    assert (said["says"], said["commands"]) == ("NO PROCESS RUNS", ["pruned run"])
    runs(house)
    said = night(house, code=4)
    assert (said["says"], said["needs_somebody"]) == ("its tick is 2 h late", True)
    assert "its tick is 2 h late although processes run" in doctor(house, "late ticks", "5 min")[0]
    house.database.execute("UPDATE pruned.schedules SET next_at = now() + interval '1 hour'")
    assert night(house)["says"] == "has not run yet" and doctor(house, "late ticks", "5 min") == []
    house.database.execute("DELETE FROM pruned.processes")
    assert night(house)["says"] == "NO PROCESS RUNS"
    assert "no daemon runs, and 1 schedule is in force" in doctor(house, "processes")[0]


def test_held_comes_before_what_a_person_need_not_see(house):  # noqa: F811
    house.sql(SCENE)
    house.sql("INSERT INTO orders SELECT n, true FROM generate_series(1, 50) n; CREATE TABLE calm (id bigint PRIMARY KEY, gone boolean)")
    house.say("a.quiet", SENTENCE.replace("orders", "calm"))
    house.say(JOB, SENTENCE + "max_rows = 10\n")
    held, _ = house.tick(JOB, "a.quiet", at=now(minutes=-1))
    runs(house)
    said = night(house)
    assert (said["state"], said["says"]) == ("held", "held: max_rows")
    assert said["commands"] == [f"pruned {word} {held['run_id']}" for word in ("runs", "approve", "discard")]
    house.database.execute("UPDATE pruned.processes SET seen_at = now()")
    lines = house.pruned.run("night").ok().stdout.splitlines()
    assert lines[:2] == ["1 of 2 jobs needs a person:", f"  {JOB}: held: max_rows"] and lines.index("job\tstate\tlast run\tdid\tusual\trange\tfail\tnext") == 6
    assert lines[7].split("\t")[:2] == ["a.quiet", "ok"]


def test_the_metrics_say_the_same(house, http):  # noqa: F811
    house.sql(SCENE + ";" + REFUNDS + "; INSERT INTO orders VALUES (13, true)")
    house.say(JOB, SENTENCE)
    nights(house, *[20000] * 7)
    house.start()
    house.pruned.start(settings={"http.listen": http.listen})
    house.pruned.run("tick", JOB, "--wait").ok()
    seen = counted(http, 1, "pruned_job_below_usual", job=JOB)
    assert seen.of("pruned_usual_rows", job=JOB) == 20000 and seen.of("pruned_night_rows", job=JOB) == 1
    assert 0 < seen.of("pruned_oldest_failing_seconds", job=JOB) < 600 and seen.of("pruned_tick_late_seconds", job=JOB) == 0


def test_doctor_says_nothing_where_all_is_well(house):  # noqa: F811
    house.sql(SCENE)
    house.say(JOB, SENTENCE)
    found = house.pruned.run("doctor", "--json").json()
    quiet = house.pruned.run("doctor", "--quiet", "--json").json()
    assert quiet == [one for one in found if not one["ok"]] and len(quiet) < len(found)
