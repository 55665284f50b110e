"""The database's or this machine's clock is wrong for a while: nothing is dropped, nothing fires
early, and no wrong time stays."""

import datetime

import pytest

from stack.clock import Clock
from stack.process import wait_until
from support.scene import UTC, fill, now, tick_id

pytestmark = pytest.mark.built_in

JOB = "scratch.remove"
AHEAD_S = 400 * 86400


def audited(scene, *ages):
    """Days of the audit with a row each."""
    for age in ages:
        scene.database.execute("SELECT pruned.ensure_day('deletions', (now() AT TIME ZONE 'UTC')::date - %s::int)", [age])
        scene.database.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, at) VALUES "
                               "(gen_random_uuid(), 0, 'members', 'deleted', '[1]', now() - %s * interval '1 day')", [age])


def ages(scene, table="deletions"):
    return scene.database.column(
        "SELECT (now() AT TIME ZONE 'UTC')::date - right(relid::text, 8)::date FROM pg_partition_tree(%s::regclass) "
        r"WHERE relid::text ~ '_\d{8}$' ORDER BY 1", [f"pruned.{table}"])


def settled(scene):
    """Whether the janitor has run: tomorrow's partition exists."""
    scene.run_until_idle()
    assert -1 in ages(scene)


def findings(scene, check):
    return [line for line in scene.run("doctor", "--json").json() if line["check"] == check]


# --- dropping old days

def test_days_go_only_if_the_newest_row_is_younger_by_the_time_they_are_kept(scene):
    """As if the clock were 400 days ahead: the newest record is that old."""
    audited(scene, 400, 410, 429)
    settled(scene)
    assert ages(scene) == [-1, 0, 400, 410, 429]
    audited(scene, 397)
    settled(scene)
    assert ages(scene) == [-1, 0, 397, 400, 410]


def test_no_more_than_three_days_go_at_a_time(scene):
    audited(scene, 0, 33, 34, 35, 36, 37)
    settled(scene)
    assert ages(scene) == [-1, 0, 33, 34]
    settled(scene)
    assert ages(scene) == [-1, 0]


def test_days_of_the_archive_stay_as_well(scene):
    for age in (0, 40, 41, 42, 43, 44):
        scene.database.execute("SELECT pruned.ensure_day('runs_done', (now() AT TIME ZONE 'UTC')::date - %s::int)", [age])
    scene.database.execute("INSERT INTO pruned.runs_done (run_id, job, state, scheduled_at, due_at) "
                           "VALUES (gen_random_uuid(), 'x', 'finished', now() - interval '41 days', now())")
    settled(scene)
    assert ages(scene, "runs_done") == [0, 40, 41, 42, 43, 44]
    scene.database.execute("INSERT INTO pruned.runs_done (run_id, job, state, scheduled_at, due_at) "
                           "VALUES (gen_random_uuid(), 'x', 'finished', now(), now())")
    settled(scene)
    assert ages(scene, "runs_done") == [0, 40, 41]


def timers(scene):
    return scene.database.value("SELECT count(*) FROM pruned.timers")


def add_timers(scene, n, days):
    scene.database.execute("INSERT INTO pruned.timers (unique_key, run_id, scheduled_at) SELECT 'timer ' || i || '/' || %(days)s, "
                           "gen_random_uuid(), now() - %(days)s * interval '1 day' FROM generate_series(1, %(n)s) AS i",
                           {"n": n, "days": days})


@pytest.mark.check_all
def test_old_timers_go_until_none_is_left(scene):
    add_timers(scene, 30000, 100)
    add_timers(scene, 10, 30)
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.timers", until=10)


def test_timers_that_are_old_only_by_the_clock_stay(scene):
    add_timers(scene, 10, 390)
    scene.database.execute("INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at) VALUES "
                           "(gen_random_uuid(), 'scratch.one', 'dead', now(), now(), now() - interval '400 days')")
    settled(scene)
    assert timers(scene) == 10


def test_an_hour_that_passed_only_by_the_databases_clock_archives_nothing(scene, shifted):
    """As seen from a machine that is behind: ended runs, and entries of a restore in progress,
    stay."""
    scene.database.execute("INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, finished_at) "
                           "VALUES (gen_random_uuid(), 'scratch.one', 'finished', now(), now(), now() - interval '2 hours')")
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, parked, first_at) "
                           f"VALUES ('{JOB}', 'scratch:4711', 'restored', true, now() - interval '2 hours')")
    behind = scene.start(environment=shifted(-7200))
    behind.wait_line("Nothing is archived: the database's clock differs from this machine's", count=1)
    scene.topics.tick("scratch.wide", at := now(minutes=-1))
    scene.wait_run(tick_id("scratch.wide", at), "finished")
    assert behind.stop() == 0
    assert scene.database.value("SELECT count(*) FROM pruned.runs_done") == 0
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 1
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.runs_done", until=1)
    scene.database.wait("SELECT count(*) FROM pruned.quarantine", until=0)


# --- the next tick

@pytest.fixture
def hourly(new_scene):
    minute = (datetime.datetime.now(UTC).minute + 30) % 60
    return new_scene({"jobs.scratch.remove.schedule": f"{minute} * * * *"})


@pytest.mark.check_all
@pytest.mark.parametrize("left", ["now() + interval '400 days'", "'infinity'"])
def test_a_next_tick_beyond_the_next_regular_one_is_named_and_planted_again(hourly, left):
    daemon = hourly.start()
    right = hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert daemon.stop() == 0
    hourly.database.execute(f"UPDATE pruned.schedules SET next_at = {left}")
    [said] = findings(hourly, "schedules")
    assert not said["ok"] and JOB in said["detail"]
    hourly.start()
    hourly.database.wait("SELECT CASE WHEN isfinite(next_at) THEN next_at END FROM pruned.schedules", until=right, deadline_s=45)
    assert findings(hourly, "schedules")[0]["ok"]


def test_days_that_lie_ahead_are_named(scene):
    assert findings(scene, "recorded days")[0]["ok"]
    scene.database.execute("SELECT pruned.ensure_day('deletions', '2031-01-01')")
    [said] = findings(scene, "recorded days")
    assert not said["ok"] and "deletions_20310101" in said["detail"] and "DROP TABLE pruned.deletions_20310101" in said["remedy"]


# --- clocks that disagree

@pytest.fixture
def shifted(preload):
    library = preload("shifted_clock")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    return lambda seconds: {"LD_PRELOAD": library, "SHIFTED_CLOCK_S": seconds}


def test_a_tick_that_is_due_by_one_clock_only_is_not_fired(hourly, shifted):
    """This machine is an hour behind: to it the database seems to be ahead."""
    daemon = hourly.start()
    right = hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert daemon.stop() == 0
    hourly.database.execute("UPDATE pruned.schedules SET next_at = next_at - interval '1 hour'")
    due = right - datetime.timedelta(hours=1)
    behind = hourly.start(environment=shifted(-7200))
    behind.wait_line("Ticks of cron wait: the database's clock is ahead of this machine's")
    assert hourly.database.value("SELECT next_at FROM pruned.schedules") == due
    assert hourly.database.value("SELECT count(*) FROM pruned.runs") == 0
    assert behind.stop() == 0
    hourly.start()
    hourly.wait_run(tick_id(JOB, due))


@pytest.mark.check_all
def test_a_database_that_is_a_year_ahead_drops_nothing_fires_nothing_and_buries_nothing(hourly, shifted):
    """As seen from a machine whose clock is a year behind."""
    plant = hourly.start()
    right = hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert plant.stop() == 0
    audited(hourly, 0, 45)
    hourly.database.execute("UPDATE pruned.schedules SET next_at = now() - interval '1 minute'")
    behind = hourly.start(environment=shifted(-AHEAD_S))
    behind.wait_line("Ticks of cron wait: the database's clock is ahead of this machine's")
    behind.wait_line("Nothing old is dropped: the database's clock differs from this machine's")
    assert 45 in ages(hourly) and hourly.database.value("SELECT count(*) FROM pruned.runs") == 0
    old = now(seconds=-AHEAD_S)  # too old by the database's clock, of today by the machine's
    hourly.topics.tick("scratch.wide", old)
    hourly.wait_run(tick_id("scratch.wide", old), "finished")
    assert hourly.topics.read("dead") == []
    assert right > now()


@pytest.mark.check_all
def test_a_run_that_a_wrong_clock_made_due_waits(new_scene, shifted):
    """By the database's clock the day has come; by the machine's it is a year away."""
    scene = new_scene()
    at = now(minutes=-1)
    scene.topics.tick("scratch.wide", at)
    scene.run_until_idle()
    run = tick_id("scratch.wide", at)
    scene.database.execute("DELETE FROM scratch_log")
    scene.database.execute("UPDATE pruned.runs SET state = 'ready', step = 0, finished_at = NULL WHERE run_id = %s", [run])
    scene.start(environment=shifted(-AHEAD_S))
    wait_until(lambda: scene.run_row(run)["state"] == "waiting", 30, lambda: f"{scene.run_row(run)}")
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 0


@pytest.fixture
def postgres_with_a_clock(own_postgres, preload):
    library = preload("shifted_clock")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")
    own_postgres.stop()
    own_postgres.clock = Clock(own_postgres.folder, library)
    own_postgres.start()
    return own_postgres


@pytest.fixture
def ahead_of_kafka(postgres_with_a_clock, new_scene):
    """The database's clock and this machine's are the same number of seconds ahead: only Kafka's
    differs."""
    minute = (datetime.datetime.now(UTC).minute + 30) % 60
    scene = new_scene({"jobs.scratch.remove.schedule": f"{minute} * * * *"}, server=postgres_with_a_clock)
    scene.clock = postgres_with_a_clock.clock
    return scene


KAFKA_WAITS = "Ticks of cron wait: this machine's clock and the database's are ahead of Kafka's"


@pytest.mark.check_all
def test_a_tick_that_is_not_due_by_kafkas_clock_is_not_fired(ahead_of_kafka):
    scene = ahead_of_kafka
    plant = scene.start()
    due = scene.database.wait("SELECT next_at FROM pruned.schedules")  # in half an hour
    assert plant.stop() == 0
    scene.clock.set(45 * 60)
    ahead = scene.start(environment=scene.clock.environment)
    ahead.wait_line(KAFKA_WAITS)
    [said] = [line for line in scene.run("doctor", "--json", environment=scene.clock.environment).json() if line["check"] == "Kafka's clock"]
    assert not said["ok"] and "2700." in said["detail"] and "behind this machine's" in said["detail"]
    assert findings(scene, "Kafka's clock")[0]["ok"]
    assert scene.database.value("SELECT next_at FROM pruned.schedules") == due
    assert scene.topics.read("ticks") == []
    assert ahead.stop() == 0
    scene.clock.set(0)
    due = scene.database.value("UPDATE pruned.schedules SET next_at = next_at - interval '1 hour' RETURNING next_at")
    scene.start()
    scene.wait_run(tick_id(JOB, due), "finished")


def without_its_time(topics):
    topics.configure("clock", **{"message.timestamp.type": "CreateTime"})


@pytest.mark.check_first(1)
@pytest.mark.parametrize("make", [lambda topics: topics.drop("clock"), without_its_time], ids=["no topic", "a topic of another kind"])
def test_without_kafkas_clock_the_two_other_clocks_decide(hourly, make):
    plant = hourly.start()
    hourly.database.wait("SELECT next_at FROM pruned.schedules")
    assert plant.stop() == 0
    assert findings(hourly, "Kafka's clock")[0]["ok"]
    make(hourly.topics)
    [said] = findings(hourly, "Kafka's clock")
    assert said["level"] == "warning" and hourly.topics.full("clock") in said["detail"] and "only the clocks" in said["detail"]
    due = hourly.database.value("UPDATE pruned.schedules SET next_at = next_at - interval '1 hour' RETURNING next_at")
    hourly.start()
    hourly.wait_run(tick_id(JOB, due), "finished")


# --- a database whose clock was ahead and is right again

AHEAD = "now() + interval '400 days'"


@pytest.mark.check_all
def test_work_is_done_soon_although_a_clock_that_was_ahead_wrote_its_time(scene):
    """A page, a retry, a run whose message is lost, an old row of the outbox: with the times of
    that clock."""
    fill(scene.database, 25)
    times = [now(minutes=-3, milliseconds=n) for n in range(3)]
    for n, at in enumerate(times):
        scene.topics.tick("scratch.wide", at, {"n": n})
    scene.run_until_idle()
    waits, lost, ended = [tick_id("scratch.wide", at, f'{{"n":{n}}}') for n, at in enumerate(times)]
    change = f"UPDATE pruned.runs SET changed_at = {AHEAD}, %s WHERE run_id = %%s"
    scene.database.execute(change % f"state = 'waiting', finished_at = NULL, attempts = 1, error = 'x', due_at = {AHEAD} + interval '2 s'", [waits])
    scene.database.execute(change % f"state = 'ready', finished_at = NULL, step = 0, published_at = {AHEAD}", [lost])
    scene.database.execute(change % f"finished_at = {AHEAD}", [ended])
    scene.start()
    assert scene.wait_run(waits, "finished")["finished_at"] < now(hours=1)
    assert scene.wait_run(lost, "finished")
    scene.database.wait("SELECT finished_at < now() + interval '1 s' FROM pruned.runs WHERE run_id = %(id)s", {"id": ended}, until=True)


def test_refreshes_items_and_suspects_of_a_clock_that_was_ahead_are_not_put_off_for_years(scene):
    scene.database.execute(f"INSERT INTO pruned.dirty_users (user_id, kind, due_at) VALUES (1, 'authorizations', {AHEAD}), (1, 'todos', {AHEAD}), "
                           "(2, 'todos', now() + interval '30 minutes')")
    scene.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at) "
                           f"VALUES ('{JOB}', 'scratch:1', 'x', 1, false, {AHEAD})")
    scene.database.execute(f"INSERT INTO pruned.suspects (topic, partition, \"offset\", deaths, at) VALUES ('no topic', 0, 0, 1, {AHEAD})")
    scene.start()
    scene.database.wait("SELECT count(*) FROM pruned.dirty_users WHERE due_at > now() + interval '1 hour 2 s'", until=0)
    assert scene.database.column("SELECT round(extract(epoch FROM due_at - now()) / 600)::int FROM pruned.dirty_users ORDER BY user_id, kind") == [0, 6, 3]
    scene.database.wait("SELECT count(*) FROM pruned.quarantine WHERE next_try_at > now()", until=0)
    scene.database.wait("SELECT count(*) FROM pruned.suspects WHERE at > now()", until=0)


def test_a_timer_that_was_set_meanwhile_keeps_its_day(scene):
    """Brought forward by the clock's error, it is due before its day, and waits again."""
    day = (now() + datetime.timedelta(days=500)).replace(hour=0, minute=0, second=0, microsecond=0)
    run = str(scene.database.value(
        "INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, changed_at, args) VALUES (gen_random_uuid(), "
        f"'members.remove_expired', 'waiting', now() - interval '1 minute', %s, {AHEAD} + interval '200 days', "
        "jsonb_build_object('member_id', 7, 'expires_at', %s::text)) RETURNING run_id", [day, str(day.date())]))
    daemon = scene.start()
    daemon.wait_line("Run was ready before its time; waiting again")
    scene.database.wait("SELECT state = 'waiting' AND due_at = %(day)s FROM pruned.runs WHERE run_id = %(run)s", {"run": run, "day": day}, until=True)


@pytest.mark.check_all
@pytest.mark.parametrize("begun, ended", [(AHEAD_S, 0), (0, AHEAD_S)], ids=["back", "ahead"])
def test_a_clock_that_jumps_within_a_transaction_stops_no_record_of_the_audit(new_scene, postgres_with_a_clock, begun, ended):
    scene = new_scene(server=postgres_with_a_clock)
    postgres_with_a_clock.clock.set(begun)
    with scene.database.connect() as connection, connection.transaction():
        connection.execute("SELECT now()")
        postgres_with_a_clock.clock.set(ended)
        row = connection.execute("INSERT INTO pruned.deletions (run_id, step, table_name, action, keys) "
                                 "VALUES (gen_random_uuid(), 0, 'scratch', 'deleted', '[1]') RETURNING after_ms").fetchone()
    assert 0 <= row["after_ms"] <= 2_000_000_000


@pytest.mark.check_all
def test_a_jump_of_a_year_and_back_during_work_postpones_nothing(new_scene, postgres_with_a_clock):
    own_postgres = postgres_with_a_clock
    scene = new_scene({"jobs.scratch.remove.delay_ms": 500}, server=own_postgres)
    fill(scene.database, 100)
    scene.topics.tick(JOB, at := now(minutes=-1))
    daemon = scene.start()
    scene.database.wait("SELECT count(*) FROM scratch", until=lambda n: n < 100)
    own_postgres.clock.set(AHEAD_S)
    left = scene.database.value("SELECT count(*) FROM scratch")
    scene.database.wait("SELECT count(*) FROM scratch", until=lambda n: n < left)
    scene.database.wait("SELECT min(due_at) > %(at)s FROM pruned.runs WHERE state = 'waiting'", {"at": now(days=300)}, until=True)
    own_postgres.clock.set(0)
    assert scene.wait_run(tick_id(JOB, at), "finished")["attempts"] == 0
    daemon.wait_line("The database's clock was ahead; times it wrote are set back")
