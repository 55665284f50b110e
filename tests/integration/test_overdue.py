"""Deadlines: rows that should have gone, with what keeps each, by the column that makes them due
and not by the condition."""

import json
from datetime import timedelta

import pytest
import requests

from stack.process import wait_until
from support.command_line import add_run
from support.metrics import http, ready  # noqa: F401
from support.instance import tenant  # noqa: F401
from support.paged import Read
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
    # it would wait for a process that is no member of the group
    house.database.execute("UPDATE pruned.processes SET started_at = now()")
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


def test_rows_that_stay_on_purpose_are_excused_and_no_others(scene):
    """7 is not named by the condition, and is excused. 11 and 1 are due, 9 and 10 in quarantine:
    they are named by it, so nothing excuses them. Of a value that nobody knew nothing is said."""
    scene.sql("ALTER TABLE orders ADD state text; UPDATE orders SET state = CASE WHEN flag THEN 'closed' ELSE 'open' END; INSERT INTO orders VALUES (12, now() - interval '50 days', false, 'opne')")
    runs(scene)
    for excused in ("state = 'open'", "orders.state IN ('open', 'closed')", "true", "state = 'open' AND :T > now() - interval '1 hour'"):
        scene.say(JOB, SENTENCE.replace("deadline = 7 days", f"deadline = 7 days unless {excused}"))
        line = night(scene)
        whole = excused == "true"
        assert line["overdue"]["rows"] == {"hold": 1, "failed": 1, "parked": 1, "none": 2, "kept: unless": 2 if whole else 1} | ({} if whole else {"no rule": 1}), excused
        assert (line["overdue"]["late"], line["overdue"]["due"]) == (5 + (not whole), 7 + (not whole)) and line["overdue"]["oldest"] == ("orders:10" if whole else "orders:12")
    scene.sql("DELETE FROM orders WHERE flag OR flag IS NULL; DELETE FROM pruned.holds; DELETE FROM pruned.quarantine")
    line = night(scene)
    assert (line["overdue"]["rows"], line["overdue"]["oldest"]) == ({"kept: unless": 1, "no rule": 1}, "orders:12")
    scene.sql("DELETE FROM orders WHERE id = 12")
    line = night(scene)
    assert (line["overdue"]["rows"], line["overdue"]["oldest"], line["overdue"]["late"], line["needs_somebody"]) == ({"kept: unless": 1}, None, 0, False)
    said = [one for one in scene.pruned.run("doctor", "--json").json() if one["check"] == "deadlines"]
    assert f"{JOB}: its deadline excuses 1 row (unless); 0 others are due" in [one["detail"] for one in said] and all(one["ok"] for one in said)
    # What was removed excuses nothing; what fails later is no number.
    scene.say(JOB, SENTENCE.replace("deadline = 7 days", "deadline = 7 days unless 1 / (id - 7) > 0"))
    line = night(scene)
    assert "division by zero" in line["overdue"]["state"] and line["overdue"]["rows"] is None


def test_a_volatile_condition_excuses_nothing(scene):
    scene.sql("CREATE FUNCTION open(n bigint) RETURNS boolean LANGUAGE sql VOLATILE AS 'SELECT true'")
    scene.say(JOB, SENTENCE.replace("deadline = 7 days", "deadline = 7 days unless open(id)"))
    wrong = [one for one in scene.pruned.run("check", JOB, "--json").json() if one["level"] == "error"]
    assert [(one["line"], one["detail"].partition(":")[0]) for one in wrong] == [(6, "deadline")] and "open(bigint) is VOLATILE" in wrong[0]["detail"]


@pytest.mark.check_all
def test_many_excused_rows_hide_no_other(scene):
    """They lie at the old end, where rows are looked for."""
    scene.sql("INSERT INTO orders SELECT n, now() - interval '100 days', false FROM generate_series(1000, 30000) n; ANALYZE orders")
    scene.say(JOB, SENTENCE.replace("deadline = 7 days", "deadline = 7 days unless NOT flag"))
    runs(scene)
    assert night(scene)["overdue"]["rows"] == {"hold": 1, "failed": 1, "parked": 1, "none": 2, "kept: unless": 10000}


def run_row(house, state, **values):  # noqa: F811
    """A run of JOB in STATE, that began an hour ago."""
    house.database.execute("DELETE FROM pruned.runs")
    add_run(house.database, state, **({"job": JOB, "scheduled_at": now(hours=-1), "due_at": now(hours=1)} | values))


# What keeps a job from its rows, and the word for it (docs/night.md).
KEEPS = [("held", lambda house: run_row(house, "held", held='{"limit": "max_rows"}')),
         ("dead", lambda house: run_row(house, "dead", error="no luck")),
         ("behind", lambda house: run_row(house, "waiting", due_at=now(minutes=-30))),
         ("behind", lambda house: run_row(house, "ready", changed_at=now(minutes=-30), due_at=now(minutes=-30))),
         ("behind", lambda house: house.database.execute("INSERT INTO pruned.schedules VALUES (%s, now() - interval '2 hours', '0 2 * * * UTC')", [JOB])),
         ("retrying", lambda house: run_row(house, "waiting", attempts=2, error="no luck")),
         ("running", lambda house: run_row(house, "ready", due_at=now(minutes=-30))),
         ("quiet hours", lambda house: run_row(house, "waiting", error="quiet hours until 2030-01-01 00:00:00+00")),
         ("throttled", lambda house: run_row(house, "waiting", error="throttled: the standby is behind")),
         ("not taken up", lambda house: house.database.execute("UPDATE pruned.processes SET jobs = '{}'")),
         ("no process", lambda house: house.database.execute("DELETE FROM pruned.processes"))]


def test_what_keeps_a_job_from_its_rows(scene):
    for why, keep in KEEPS:
        runs(scene)
        keep(scene)
        said = night(scene)
        assert said["overdue"]["rows"] == {"no rule": 1, "hold": 1, "failed": 1, "parked": 1, why: 2} and said["needs_somebody"], (why, said)
        scene.sql("DELETE FROM pruned.runs; DELETE FROM pruned.schedules; DELETE FROM pruned.processes")
    # What keeps a single row.
    runs(scene)
    scene.sql("UPDATE pruned.quarantine SET reason = 'busy' WHERE item = 'orders:9'; DELETE FROM pruned.quarantine WHERE item = 'orders:10'; DELETE FROM orders WHERE at IS NULL; UPDATE pruned.holds SET kind = 'restored'")
    scene.say(JOB, SENTENCE + "keep = 1 by at desc\n")
    newest = scene.rows("orders", "id", "at DESC")[0][0]
    scene.database.execute("UPDATE orders SET at = now() - interval '37.5 days' WHERE id IN (1, 2, 3, 4, 5)")
    scene.database.execute("UPDATE orders SET at = now() - interval '37.4 days' WHERE id = %s", [newest])
    line = night(scene)
    assert line["overdue"]["rows"] == {"no rule": 1, "restored": 1, "locked": 1, "kept": 1, "none": 6}, line


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


# A built-in job, and its rows as the application writes them: due longer ago than its deadline, for
# less than that, and not due at all.
def two_members(tenant):
    group = tenant.group()
    tenant.owner(tenant.user(), group, expires_at=tenant.day(-9))
    for days in (-9, -8, -1, 3):
        tenant.member(tenant.user(), group, expires_at=tenant.day(days))
    return 2, {"kept": 1}


def marked_groups(tenant):
    tenant.period(7)
    for days in (20, 10, 8, 1):
        tenant.mark(tenant.group(), tenant.user(), days)
    return 2, {}


def people_who_left(tenant):
    group, by = tenant.group(), tenant.user()
    tenant.owner(by, group)
    for hours in (50, 25, 3):
        user = tenant.user()
        tenant.member(user, group)
        tenant.leave(group, user, by)
        tenant.database.execute("UPDATE members_deletion_schedules SET created_at = now() - %s * interval '1 hour' WHERE user_id = %s", [hours, user])
    return 2, {}


def old_objects(tenant):
    for hours in (30, 13, 11, -2):
        tenant.database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at, created_at) VALUES (1, '', 'x', now() - %s * interval '1 hour', now())", [hours])
    return 2, {}


def test_deadlines_of_built_in_jobs(tenant):  # noqa: F811
    tenant.pruned.run("migrate", "--indexes", settings={"postgres.url": tenant.database.url}).ok()
    for job, fill in (("members.remove_expired", two_members), ("groups.adjourned_deletion", marked_groups),
                      ("members.prune_deletions", people_who_left), ("ci.delete_objects", old_objects)):
        n, kept = fill(tenant)
        said = next(one for one in tenant.pruned.run("night", "--json").json() if one["job"] == job)
        assert said["overdue"]["state"] is None and said["overdue"]["rows"] == {"no process": n} | kept, (job, said)


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
    status = scene.pruned.run("status", "--json").ok().json()[0]
    assert status["overdue"] == {JOB: 5}
    daemon.stop()
    scene.database.execute("DELETE FROM pruned.processes")
    (scene.folder / f"{JOB}.conf").unlink()
    line = night(scene)
    assert (line["state"], line["needs_somebody"]) == ("removed", True)
    assert line["overdue"]["rows"] == {"no rule": 3, "hold": 1, "failed": 1, "parked": 1}
    assert timedelta(0) < timedelta(seconds=line["overdue"]["oldest_s"])


@pytest.mark.check_all
def test_a_look_that_hangs_or_is_killed_keeps_no_other_from_being_looked_at(scene):
    """Somebody has locked the table of one job; the other one's is looked at all the same. What is
    not known is no 0. A look that its process or its session did not end is taken anew."""
    scene.sql("CREATE TABLE others (id bigint PRIMARY KEY, at timestamptz); CREATE INDEX ON others (at); INSERT INTO others VALUES (1, now() - interval '50 days')")
    scene.say("others.purge", SENTENCE.replace("orders", "others").replace(" AND flag", "").replace("0 2 * * *", "off"))
    found = lambda job: scene.database.value("SELECT found FROM pruned.overdue WHERE job = %s", [job])  # noqa: E731
    again = lambda: scene.database.execute("UPDATE pruned.overdue SET found = NULL, taken_at = now() - interval '61 s'")  # noqa: E731
    waits = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%%orders%%'"
    with scene.database.connect() as other:
        other.execute("BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        daemon = scene.pruned.start()
        wait_until(lambda: (found(JOB) or {}).get("state") == "it takes too long to look" and (found("others.purge") or {}).get("rows") == {"goes": 1}, 60, "two looks")
        assert "rows" not in found(JOB) and "late" not in found(JOB)
        again()
        (pid,) = wait_until(lambda: scene.database.column(waits), 60, "a look that waits")
        scene.database.execute("SELECT pg_terminate_backend(%s)", [pid])
        wait_until(lambda: (found("others.purge") or {}).get("rows") == {"goes": 1}, 60, "the look behind it")
        again()
        wait_until(lambda: scene.database.column(waits), 60, "a look that waits")
        daemon.kill()
        other.execute("ROLLBACK")
    assert found(JOB) is None
    again()
    scene.pruned.start()
    wait_until(lambda: (found(JOB) or {}).get("rows", {}).get("no rule") == 1, 60, "a look by the next process")


def test_the_most_of_each_day_is_kept_and_shown(scene, http):  # noqa: F811
    scene.database.execute("INSERT INTO pruned.overdue_days VALUES (current_date - 2, %s, 7, 99), (current_date - 500, %s, 1, 1)", [JOB, JOB])
    scene.start()
    scene.pruned.start(settings={"http.listen": http.listen, "http.page": "on"}).wait_line("Partitions assigned")
    looks = "SELECT count(*) FROM pruned.overdue WHERE found IS NOT NULL AND looked_at >= taken_at"
    today = "SELECT rows FROM pruned.overdue_days WHERE day = (now() AT TIME ZONE 'UTC')::date"
    scene.database.wait(looks, until=1)
    # Six of ROWS are past the deadline. One of these is on hold.
    assert scene.database.column(today) == [5]
    scene.sql("DELETE FROM orders WHERE at < now() - interval '37 days'")
    scene.database.execute("UPDATE pruned.overdue SET found = NULL, taken_at = now() - interval '61 s'")
    scene.database.wait(looks, until=1)
    assert scene.database.column(today) == [5] and scene.database.value("SELECT count(*) FROM pruned.overdue_days") == 2
    page = Read(requests.get(f"http://{http.listen}/", timeout=20).text)
    assert page.of("overdue").startswith("Overdue rows, the most of a day 30 days, looked for on 2: at most 7 rows overdue")
    (_, drawn), = [e for e in page.elements if e[0] == "svg" and "overdue" in e[1].get("aria-label", "")]
    assert drawn["role"] == "img"
    told = requests.get(f"http://{http.listen}/?format=json&table=overdue", timeout=20).json()
    assert [one["rows"] for one in told] == [5, 7] and told[1]["oldest_s"] == 99 and abs(told[0]["oldest_s"] - 16 * 86400) < 300
