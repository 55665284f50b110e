"""What a job asks of the clock is T, the time of its tick; a zone is what people mean by it."""

import zoneinfo

import pytest

from support.own_job import OWN
from support.sentences import house  # noqa: F401

THINGS = """CREATE TABLE things (id bigint PRIMARY KEY, at timestamptz NOT NULL, day date, label text);
    INSERT INTO things SELECT i, now() - i * interval '1 day', current_date - i, 'today' FROM generate_series(1, 60) AS i; CREATE INDEX ON things (at)"""
JOB = "things.purge"
AGE = "Write age(:T, COLUMN) instead of age(COLUMN)"


@pytest.fixture
def things(house):  # noqa: F811
    house.sql(THINGS)
    return house


def warned(house, code=0):  # noqa: F811
    done = house.pruned.run("check", JOB, "--json")
    assert done.code == code, done
    return [(one["detail"].partition(" is not T")[0], one["remedy"], one["line"]) for one in done.json() if " is not T" in one["detail"]]


@pytest.mark.check_first(3)
@pytest.mark.parametrize("where, asks", [
    ("at < now() - interval '30 days'", ["now()"]), ("at < pg_catalog.now () - interval '30 days'", ["now()"]),
    ("at < CURRENT_TIMESTAMP - interval '30 days'", ["current_timestamp"]), ("day < current_date - 30", ["current_date"]),
    ("at < localtimestamp - interval '30 days'", ["localtimestamp"]), ("at < clock_timestamp() - interval '30 days'", ["clock_timestamp()"]),
    ("at < 'now'::timestamptz - interval '30 days'", ["'now'"]), ("at < timestamptz 'today' - interval '30 days'", ["'today'"]),
    ("day < CAST('Today' AS date) - 30", ["'Today'"]), ("at < 'yesterday'", ["'yesterday'"]), ("at < 'today 03:00'", ["'today 03:00'"]),
    ("at < '12:00 today'", ["'12:00 today'"]), ("at < $$yesterday$$", ["'yesterday'"]),
    ("age(at) > interval '30 days'", ["age() of one time"]), ("at < statement_timestamp() OR at < now()", ["statement_timestamp()", "now()"]),
    ("at < now() AND day < now()", ["now()"]),
    ("at < :T - interval '30 days'", []), ("label = 'today' AND at < :T", []), ("label IN ('now', 'x')", []), ("age(:T, at) > interval '30 days'", []),
    ("label = 'now()' AND id < 5", [])])
def test_a_condition_that_asks_the_clock_is_a_warning(things, where, asks):
    things.say(JOB, f"table = things\nwhere = {where}\nmax_share = off")
    found = [one for one in warned(things, things.pruned.run("check", JOB).code)]
    assert found == [(one, AGE if one.startswith("age") else f"Write :T instead of {one}", 3) for one in asks]


def test_a_daemon_says_so_when_it_loads_the_job(things):
    things.say(JOB, "table = things\nwhere = at < now() - interval '30 days'\nmax_share = off")
    things.start()
    daemon = things.pruned.run_until_idle()
    (line,) = [one for one in daemon.lines("Check of a job found a problem") if one["job"] == JOB]
    assert line["detail"].startswith("now() is not T") and line["remedy"] == "Write :T instead of now()"


def test_a_plan_for_another_day_says_that_the_condition_does_not_know_it(things):
    things.say(JOB, "table = things\nwhere = at < now() - interval '30 days'\nmax_share = off")
    done = things.pruned.run("plan", JOB, "--at", "-20d").ok()
    assert "The condition asks the server's clock, which --at does not change" in done.stderr and "now()" in done.stderr, done
    assert "server's clock" not in things.pruned.run("plan", JOB).ok().stderr
    things.say(JOB, "table = things\nwhere = at < :T - interval '30 days'\nmax_share = off")
    done = things.pruned.run("plan", JOB, "--at", "-20d").ok()
    assert "server's clock" not in done.stderr and "11 removed" in done.stdout, done


PAGE = "SELECT t.id AS key, t.id FROM things t\nWHERE {where} AND t.id > :cursor.id::bigint ORDER BY t.id LIMIT :limit::int"


@pytest.mark.parametrize("file, text, line", [
    ("page.sql", PAGE.format(where="t.at < now() - interval '30 days'"), 2),
    ("decide.sql", "SELECT k AS key, CASE WHEN t.at < now() - interval '30 days' THEN 'removed' ELSE 'removed' END AS what, NULL AS reason\n"
                   "FROM unnest(:key::bigint[]) k LEFT JOIN things t ON t.id = k", 1),
    ("apply/removed/10-things.sql", OWN.replace("scratch s", "things s").replace("WHERE", "WHERE\n s.at < now() AND"), 2),
    ("apply/removed/05-things.update.sql", "WITH was AS MATERIALIZED (SELECT s.* FROM things s WHERE s.id = ANY (:key::bigint[]) FOR UPDATE)"
     " UPDATE things s SET at = now() FROM was WHERE s.id = was.id RETURNING was.id AS key, to_jsonb(was) AS row", None),
    ("apply/removed/10-things.sql", OWN.replace("scratch s", "things s") + "\n-- then:\nlogged AS (INSERT INTO log SELECT a.key, now() FROM applied a)", None)])
def test_files_that_choose_rows_by_the_clock_are_warned_of(things, file, text, line):
    things.sql("CREATE TABLE log (id bigint, at timestamptz)")
    there = things.folder / JOB
    (there / "apply/removed").mkdir(parents=True)
    (there / "job.conf").write_text("[job]\nstarts = tick\ntable = things\ncursor = id bigint\napprove = never\n\n[what removed]\ncounts_as_updated = true\n")
    files = {"page.sql": PAGE.format(where="t.at < :scheduled_at::timestamptz"), "apply/removed/10-things.sql": OWN.replace("scratch s", "things s")} | {file: text}
    for name, sql in files.items():
        (there / name).write_text(sql)
    assert warned(things) == ([] if line is None else [("now()", "Write :scheduled_at instead of now()", line)])


# --- zones

@pytest.mark.check_all
@pytest.mark.parametrize("zone", ["UTC+3", "UTC-3", "GMT+3", "CET-1CEST", "EST5", "<+03>-3", "UTC3"])
@pytest.mark.parametrize("key", ["time_zone = {}", "not_between = 07:00-20:00 {}"])
def test_a_zone_by_the_rules_of_posix_is_refused(things, zone, key):
    things.say(JOB, f"table = things\nwhere = at < :T\nschedule = 0 3 * * *\n{key.format(zone)}")
    done = things.pruned.run("check", JOB)
    assert done.code == 2 and f"time zone '{zone}' is read by the rules of POSIX" in done.stdout.replace("\n", " "), done
    things.say(JOB, "table = things\nwhere = at < :T")
    name, value = key.format(zone).split(" = ")
    done = things.pruned.run("-s", f"jobs.{JOB}.{name}={value}", "config")
    assert done.code == 2 and "POSIX" in done.stderr, done


def test_the_refusal_says_what_it_means(things):
    things.say(JOB, "table = things\nwhere = at < :T\ntime_zone = UTC+3")
    said = things.pruned.run("check", JOB).stdout.replace("\n", " ")
    assert "it means -03:00" in said and "like Europe/Berlin, or the offset, like +03:00" in said


@pytest.mark.check_all
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+03:00", "-03:30", "Etc/GMT+3"] + [z for z in ["EST5EDT", "GMT0"] if z in zoneinfo.available_timezones()])
def test_other_zones_are_well(things, zone):
    things.say(JOB, f"table = things\nwhere = at < :T\nschedule = 0 3 * * *\ntime_zone = {zone}\nnot_between = 07:00-20:00 {zone}")
    assert things.pruned.run("check", JOB).code == 0


@pytest.mark.check_all
@pytest.mark.parametrize("where, wrong", [
    ("at AT TIME ZONE 'UTC+3' < :T::timestamp", "'UTC+3'"), ("at at time\n zone ('+03:00') < :T::timestamp".replace("\n", ""), "'+03:00'"),
    ("timezone('UTC-3', at) < :T::timestamp", "'UTC-3'"), ("at AT TIME ZONE 'Europe/Berlin' < :T::timestamp", None),
    ("at AT TIME ZONE INTERVAL '+03:00' < :T::timestamp", None), ("label = 'UTC+3' AND at < :T", None), ("at AT TIME ZONE 'Etc/GMT-3' < :T::timestamp", None)])
def test_a_condition_with_a_zone_by_the_rules_of_posix_is_refused(things, where, wrong):
    things.say(JOB, f"table = things\nwhere = {where}\nmax_share = off")
    done = things.pruned.run("check", JOB)
    said = done.stdout.replace("\n", " ")
    assert (done.code in (0, 6)) if wrong is None else done.code == 2 and f"{wrong} is read by the rules of POSIX" in said, done
