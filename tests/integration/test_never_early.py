"""Nothing is done before its time. Three layers ensure it, each on its own: `retry` brings no time
forward, the fence takes no run before its time, and no cut-off lies after the database's today.
Each is tested where the other two would not stop the run."""

import datetime
import pathlib
import re
import shutil

import pytest

from stack.found import PROJECT
from support.instance import tenant  # noqa: F401
from support.scene import event_id, fill, now, result, tick_id

pytestmark = pytest.mark.built_in

JOB, WIDE, EVENT = "members.remove_expired", "scratch.wide", "MemberExpirySet"
SQL = PROJECT / "src/jobs"


@pytest.fixture
def timers(tenant):  # noqa: F811
    tenant.place = tenant.group()
    return tenant


def set_expiry(timers, member, day):
    ce_id = timers.pruned.topics.event(EVENT, {"member_id": member, "expires_at": str(timers.day(day))}, ce_time=timers.at)
    return event_id("/test", ce_id, JOB)


def midnight(timers, day):
    return datetime.datetime.combine(timers.day(day), datetime.time(), datetime.timezone.utc)


def all_members(timers):
    return timers.ids("members")


# --- retry: no daemon runs

def test_retry_brings_no_timer_forward_and_says_what_it_waits_for(timers):
    member = timers.member(timers.user(), timers.place, expires_at=timers.day(1500))
    run = set_expiry(timers, member, 1500)
    timers.work()
    done = timers.pruned.run("retry", run)
    assert done.code == 1 and "waiting" in done.stderr and str(timers.day(1500)) in done.stderr
    assert timers.pruned.run_row(run)["due_at"] == midnight(timers, 1500)
    timers.work()
    assert all_members(timers) == [member]


def test_retry_brings_no_tick_forward(scene):
    later = now(hours=20)
    scene.topics.tick(WIDE, later)
    scene.run_until_idle()
    run = tick_id(WIDE, later)
    assert scene.run("retry", run).code == 1
    assert (scene.run_row(run)["state"], scene.run_row(run)["due_at"]) == ("waiting", later)


def test_retry_ends_no_pause_between_two_pages(new_scene):
    """The pause is a setting: it gives other work its turn."""
    scene = new_scene({"jobs.scratch.remove.delay_ms": 3600000})
    fill(scene.database, 25)
    scene.topics.tick("scratch.remove", at := now(minutes=-1))
    daemon = scene.start()
    run = tick_id("scratch.remove", at)
    pausing = scene.wait_run(run, "waiting")
    assert daemon.stop() == 0
    # as if an earlier page had failed
    scene.database.execute("UPDATE pruned.runs SET attempts = 2 WHERE run_id = %s", [run])
    done = scene.run("retry", run)
    assert done.code == 1 and "waiting for its next page" in done.stderr and f"{pausing['due_at']:%Y-%m-%d %H:%M}" in done.stderr
    assert scene.run_row(run)["due_at"] == pausing["due_at"]
    scene.database.execute("UPDATE pruned.runs SET error = 'the store is away' WHERE run_id = %s", [run])
    scene.run("retry", run).ok()
    assert scene.run_row(run)["due_at"] < pausing["due_at"]


@pytest.mark.parametrize("state", ["waiting", "dead"])
def test_a_run_that_failed_before_its_time_is_brought_forward_as_far_as_to_it(stored, state):
    """As left by a clock that was ahead for a moment."""
    run = str(stored.database.value(
        "INSERT INTO pruned.runs (run_id, job, state, scheduled_at, due_at, attempts, error, args) VALUES (gen_random_uuid(), %s, %s, "
        "now() - interval '1 day', '2031-01-01', 3, 'bad luck', '{\"member_id\": 7, \"expires_at\": \"2030-01-01\"}') RETURNING run_id",
        [JOB, state]))
    stored.run("retry", run).ok()
    row = stored.run_row(run)
    assert (row["state"], row["due_at"].isoformat()) == ("waiting", "2030-01-01T00:00:00+00:00")


# --- the fence: the rows say that the runs are due, and no cut-off would stop their work

@pytest.mark.check_all
@pytest.mark.parametrize("state", ["waiting", "ready"])
def test_the_fence_takes_no_run_before_its_scheduled_time(scene, state):
    later = now(hours=20)
    scene.topics.tick(WIDE, later, {"n": 1})
    scene.run_until_idle()
    run = tick_id(WIDE, later, '{"n":1}')
    scene.database.execute("UPDATE pruned.runs SET state = %s, due_at = now() WHERE run_id = %s", [state, run])
    daemon = scene.start()
    daemon.wait_line("Run was ready before its time; waiting again", run_id=run)
    scene.database.wait("SELECT state = 'waiting' AND due_at = scheduled_at FROM pruned.runs WHERE run_id = %s", [run])
    assert scene.database.value("SELECT count(*) FROM scratch_log") == 0
    at = now(minutes=-1)
    scene.topics.tick(WIDE, at, {"n": 2})
    assert scene.wait_run(tick_id(WIDE, at, '{"n":2}'))["state"] == "finished"
    assert scene.database.column("SELECT id FROM scratch_log") == [2]


def test_the_fence_takes_no_timer_before_its_time(timers):
    """The membership itself is over today."""
    member = timers.member(timers.user(), timers.place, expires_at=timers.day(-3))
    run = set_expiry(timers, member, 1500)
    timers.work()
    timers.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run])
    timers.work()
    row = timers.pruned.run_row(run)
    assert (row["state"], row["due_at"]) == ("waiting", midnight(timers, 1500)) and all_members(timers) == [member]


@pytest.mark.check_all
def test_several_runs_of_a_batch_are_judged_each(scene):
    times = [now(hours=h) for h in (-2, -1, 20, 21)]
    for n, at in enumerate(times):
        scene.topics.tick("scratch.endless", at, {"last": 1, "n": n})
    scene.run_until_idle()
    scene.database.execute("UPDATE pruned.runs SET state = 'ready', step = 0, finished_at = NULL")
    scene.start()
    for n, at in enumerate(times):
        scene.wait_run(tick_id("scratch.endless", at, f'{{"last":1,"n":{n}}}'), "finished" if n < 2 else "waiting")


# --- cut-offs: the run's time has come, but not the day that it asks for

@pytest.fixture
def greedy(new_pruned, new_database, new_topics, scene_settings, tmp_path):
    """members.remove_expired as a job whose ticks name the day: without an event, neither retry nor
    the fence knows that day."""
    jobs = tmp_path / "jobs"
    shutil.copytree(SQL / "shared", jobs / "shared")
    shutil.copytree(SQL.parent / "engine/job/sql", tmp_path / "engine/job/sql")
    shutil.copytree(SQL / JOB, jobs / "scratch.greedy", ignore=shutil.ignore_patterns("reading"))
    conf = jobs / "scratch.greedy/job.conf"
    text = conf.read_text().replace("unique_key = members.remove_expired", "unique_key = scratch.greedy")
    text = text.replace("starts = tick; event", "starts = tick").replace("arguments = cursor", "arguments = cursor; expires_at")
    conf.write_text(text.partition("[event")[0].replace("schedule = 10 0 * * *", ""))
    settings = {k: v for k, v in scene_settings.items() if k.startswith("jobs.") and not k.startswith("jobs.scratch")}
    one = new_pruned(new_database("migrated"), new_topics(), settings=settings | {"run.jobs_dir": jobs, "topics.partitions": 1})
    one.run("topics", "--apply").ok()
    return one


def test_no_membership_goes_before_the_databases_today_has_reached_its_last_day(greedy):
    from support.instance import Tenant
    there = Tenant(greedy)
    place = there.group()
    there.owner(there.user(), place)
    early = there.member(there.user(), place, expires_at=there.day(2))
    over = there.member(there.user(), place, expires_at=there.day(-1))
    run = greedy.run("tick", "scratch.greedy", "--arg", f"expires_at={there.day(1500)}").ok().stdout.strip()
    there.work()
    row = greedy.run_row(run)
    assert (row["state"], result(row)["removed"]) == ("finished", 1)
    assert early in all_members(there) and over not in all_members(there)
    assert there.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def text_of(path):
    """The file and its includes, as the engine composes them."""
    def included(match):
        return text_of((path.parent / match[1]).resolve())
    return re.sub(r"^\s*-- include: (\S+)$", included, path.read_text(), flags=re.M)


def evaluated(database, name, **values):
    given = {"scheduled_at": "2031-05-05 12:00+00", "plan": False, "args": "{}", "setting.retry_after_ms": 0} | values
    text = "\n".join(line for line in text_of(SQL / name).replace("%", "%%").splitlines() if not line.strip().startswith("--"))
    statement = re.sub(r"(?<!:):([a-z_.]+)::", lambda m: f"%({m[1]})s::", text)
    return database.value(f"SELECT ({statement}) AS it", given)


@pytest.mark.parametrize("name, values", [
    ("shared/as_of.sql", {}), ("shared/group_cutoff.sql", {}), ("imports.placeholder_cleanup/cutoff.sql", {}),
    ("members.remove_expired/cutoff.sql", {}), ("members.remove_expired/cutoff.sql", {"args": '{"expires_at": "2030-01-01"}'})])
def test_no_cut_off_lies_in_the_future_but_that_of_a_plan(database, name, values):
    database.execute("INSERT INTO application_settings (deletion_adjourned_period) VALUES (0)")
    today = database.value("SELECT (now() AT TIME ZONE 'UTC')::date")

    def day(**more):
        value = evaluated(database, name, **values, **more)
        return value.date() if isinstance(value, datetime.datetime) else value

    assert day() == today
    assert day(plan=True) == datetime.date(2031, 5, 5)
    past = {"args": "{}"} if values else {}
    values = values | past
    assert day(scheduled_at="2026-01-02 00:00+00") == datetime.date(2026, 1, 2)


def test_every_other_file_takes_its_time_from_the_cut_offs():
    """Except for the time that is recorded with an attempt. The second reading changes nothing."""
    recorded = {"imports.placeholder_cleanup/decide.sql",
                "imports.placeholder_cleanup/apply/counted/10-import_placeholder_user_details.update.sql"}
    asking = {str(path.relative_to(SQL)) for path in pathlib.Path(SQL).rglob("*.sql")
              if path.relative_to(SQL).parts[1] != "reading" and ":scheduled_at" in path.read_text()}
    assert asking <= recorded | {"shared/as_of.sql", "members.remove_expired/cutoff.sql"}
