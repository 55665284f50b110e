"""`pruned replay`: messages are read again. Missing runs are started, existing runs are left alone,
and each message is listed."""

import collections
import datetime
import json

import pytest

from stack.process import wait_until
from support.scene import UTC, event_id, fill, now, tick_id

pytestmark = pytest.mark.built_in

JOB, WIDE, ONE = "scratch.remove", "scratch.wide", "scratch.one"


def replay(scene, *arguments, since="-1d"):
    return scene.run("replay", "--from", since, *arguments, "--json").ok().json()


def verdicts(lines):
    return dict(collections.Counter(x["verdict"] for x in lines))


def refused(done, code, *words):
    assert done.code == code, done
    for word in words:
        assert word in done.stderr, done
    return done


def lose(scene):
    """Removes everything that a database set back to the beginning does not have."""
    for table in ("runs", "runs_done", "timers", "unpublished"):
        scene.database.execute(f"DELETE FROM pruned.{table}")


def rows(scene, *tables):
    return {t: scene.database.rows(f"SELECT * FROM pruned.{t} ORDER BY 1, 2") for t in tables}


def archive(scene):
    """As if an hour had passed."""
    scene.database.execute("""SELECT pruned.ensure_day('runs_done', d::date)
        FROM (SELECT DISTINCT (scheduled_at AT TIME ZONE 'UTC')::date AS d FROM pruned.runs) AS days""")
    columns = ", ".join(scene.database.column("""SELECT attname FROM pg_attribute
        WHERE attrelid = 'pruned.runs'::regclass AND attnum > 0 AND NOT attisdropped"""))
    scene.database.execute(f"INSERT INTO pruned.runs_done ({columns}) SELECT {columns} FROM pruned.runs; DELETE FROM pruned.runs")


@pytest.mark.check_all
def test_after_a_lost_database_what_is_missing_is_started_and_only_that(scene):
    fill(scene.database, 3)
    times = [now(hours=-i) for i in (3, 2, 1)]
    for at in times:
        scene.topics.tick(WIDE, at)
    scene.topics.produce("ticks", b'{"job":"scratch.remove"}')
    ce_id = scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 5})
    scene.run_until_idle()
    kept = tick_id(WIDE, times[0])
    lost = set(scene.database.column("SELECT run_id::text FROM pruned.runs WHERE run_id <> %s", [kept]))
    scene.database.execute("DELETE FROM pruned.runs WHERE run_id <> %s", [kept])
    fill(scene.database, 3)
    before, committed = rows(scene, "intake", "runs"), {t: scene.topics.committed(t) for t in ("ticks", "events")}

    foreseen = replay(scene, "--dry-run")
    assert {x["run_id"] for x in foreseen if x["verdict"] == "would start"} == lost
    assert [x["run_id"] for x in foreseen if x["verdict"] == "done"] == [kept] and len(foreseen) == 6
    assert rows(scene, "intake", "runs") == before

    lines = replay(scene)
    assert {x["run_id"]: (x["job"], x["verdict"]) for x in lines} == {
        x["run_id"]: (x["job"], x["verdict"].replace("would start", "started")) for x in foreseen}
    of_event = {x["job"]: (x["run_id"], x["offset"]) for x in lines if x["topic"] == scene.topics.full("events")}
    assert len(of_event) == 2 and of_event[ONE] == (event_id("/test", ce_id, ONE), 0), "a line for each job that takes it"
    assert rows(scene, "intake") == {"intake": before["intake"]}
    assert {t: scene.topics.committed(t) for t in ("ticks", "events")} == committed
    scene.run_until_idle()
    assert set(scene.database.column("SELECT run_id::text FROM pruned.runs WHERE state = 'finished'")) == lost | {kept}
    assert scene.database.value("SELECT count(*) FROM scratch") == 0
    assert verdicts(replay(scene)) == {"done": 6}


def test_replay_reports_an_archived_run_as_done(scene):
    scene.topics.tick(WIDE, now(hours=-30), {"a": 1})
    scene.topics.tick(WIDE)
    scene.run_until_idle()
    archive(scene)
    assert scene.database.value("SELECT count(*) FROM pruned.runs") == 0
    for arguments in (["--dry-run"], []):
        lines = replay(scene, *arguments)
        assert {(x["verdict"], x["state"]) for x in lines} == {("done", "finished")} and len(lines) == 2
    assert scene.database.value("SELECT count(*) FROM pruned.runs") == 0
    assert len(scene.topics.read("work.scratch.wide")) == 2


@pytest.mark.check_all
def test_beside_a_daemon_a_run_that_has_not_ended_is_running_and_nothing_is_done_twice(scene):
    scene.start().wait_line("Partitions assigned")
    scene.topics.tick("scratch.endless", at := now(minutes=-1))
    endless = tick_id("scratch.endless", at)
    scene.wait_run(endless, "ready")
    ahead = now(hours=1)
    scene.topics.tick(WIDE, ahead)
    scene.wait_run(tick_id(WIDE, ahead), "waiting")
    scene.run("pause", WIDE).ok()
    scene.topics.tick(WIDE, paused := now(minutes=-2))
    scene.wait_run(tick_id(WIDE, paused), "waiting")
    for arguments in (["--dry-run"], []):
        lines = replay(scene, *arguments)
        assert {x["run_id"]: x["verdict"] for x in lines} == {
            endless: "running", tick_id(WIDE, ahead): "running", tick_id(WIDE, paused): "running"}
    assert scene.database.value("SELECT count(*) FROM pruned.runs") == 3
    scene.run("pause", "scratch.endless").ok()


def test_a_message_that_cannot_be_handled_is_listed_with_the_reason_and_not_buried_again(scene):
    old = now(days=-36)
    scene.topics.tick(WIDE, old)
    scene.topics.produce("ticks", b"garbage")
    scene.topics.produce("ticks", None)
    scene.topics.produce("ticks", b'{"job":"nothing"}')
    scene.topics.produce("ticks", b'{"job":"scratch.remove","args":{"x":1}}')
    scene.topics.produce("events", b"{}")
    scene.topics.event("MemberDeletionScheduled", {"user_id": 1})
    key = "".join(chr(0x4e00 + i * 7919 % 20000) for i in range(3000))
    scene.topics.tick("scratch.keyed", now(minutes=-2), {"key": key})
    scene.topics.tick(WIDE, good := now(minutes=-1))
    lines = replay(scene)
    ticks = {x["offset"]: x for x in lines if x["topic"] == scene.topics.full("ticks")}
    assert [ticks[i]["verdict"] for i in range(7)] == ["refused"] * 6 + ["started"]
    begins = ["too old", "undecodable", "empty value", "unknown job nothing", "unknown argument x", "undecodable"]
    assert all(ticks[i]["reason"].startswith(words) for i, words in enumerate(begins)), ticks
    assert (ticks[0]["run_id"], ticks[0]["job"]) == (tick_id(WIDE, old), WIDE)
    assert ticks[1]["run_id"] is None and ticks[6]["run_id"] == tick_id(WIDE, good)
    events = [x["reason"].partition(" ")[0] for x in lines if x["topic"] == scene.topics.full("events")]
    assert events[0] == "missing" and len(events) == 2
    assert scene.topics.read("dead") == [] and scene.database.column("SELECT run_id::text FROM pruned.runs") == [tick_id(WIDE, good)]


@pytest.mark.check_all
def test_only_what_is_asked_for_by_time_topic_and_job(scene):
    hours = [10, 8, 6, 4, 2]
    at = {h: now(hours=-h) for h in hours}
    for h in hours:
        body = json.dumps({"job": WIDE if h % 4 else JOB, "scheduled_at": at[h].isoformat().replace("+00:00", "Z")})
        scene.topics.produce("ticks", body.encode(), timestamp_ms=int(at[h].timestamp() * 1000))
    late = now(hours=-20)  # was sent again by hand: it is at the end, with an older time
    scene.topics.produce("ticks", json.dumps({"job": WIDE, "args": {"late": True}}).encode(),
                         timestamp_ms=int(late.timestamp() * 1000))
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 5})

    def offsets(*arguments, since):
        return [x["offset"] for x in replay(scene, *arguments, "--dry-run", since=since)]

    assert offsets("--topic", "ticks", since="-7h") == [2, 3, 4, 5]
    exactly = at[8].isoformat().replace("+00:00", "Z")
    assert offsets("--topic", "ticks", "--to", "-3h", since=exactly) == [1, 2, 3, 5]
    assert offsets("--topic", "ticks", "--to", exactly, since="2000-01-01") == [0, 5]
    assert offsets("--job", JOB, since="-1d") == [1, 3]
    assert offsets("--topic", "events", since="-1d") == [0, 0]
    assert {x["topic"] for x in replay(scene, "--dry-run")} == {scene.topics.full("ticks"), scene.topics.full("events")}
    wait_until(lambda: offsets(since="-1s") == [], 30, "a second without messages")
    assert verdicts(replay(scene, "--job", JOB)) == {"started": 1, "done": 1}
    assert set(scene.database.column("SELECT job FROM pruned.runs")) == {JOB}


def test_a_message_that_overlaps_an_unfinished_run_is_listed_as_such(scene):
    """The first takes the key; the second is a skipped run: done, with the reason. A dry run
    predicts the same for an existing run."""
    scene.topics.tick(JOB, first := now(hours=-2))
    scene.topics.tick(JOB, second := now(hours=-1))
    assert verdicts(replay(scene)) == {"started": 1, "done": 1}
    row = scene.run_row(tick_id(JOB, second))
    assert (row["state"], row["error"]) == ("skipped", f"overlaps {tick_id(JOB, first)}")
    scene.database.execute("DELETE FROM pruned.runs WHERE run_id = %s", [tick_id(JOB, second)])
    lines = {x["run_id"]: x for x in replay(scene, "--dry-run")}
    assert lines[tick_id(JOB, first)]["verdict"] == "running"
    assert (lines[tick_id(JOB, second)]["verdict"], lines[tick_id(JOB, second)]["reason"]) == (
        "done", f"overlaps {tick_id(JOB, first)}")


def test_the_latest_event_of_a_timer_still_decides(scene):
    """After a lost database the older event is read first, and again later; it does not replace the
    newer one."""
    day = datetime.datetime.now(UTC).date() + datetime.timedelta(days=30)
    for i, ago in enumerate((3, 1, 2)):
        scene.topics.event("MemberExpirySet", {"member_id": 7, "expires_at": str(day + datetime.timedelta(days=i))},
                           ce_id=str(i), ce_time=now(hours=-ago))
    newest = event_id("/test", "1", "members.remove_expired")
    assert {x["run_id"]: x["verdict"] for x in replay(scene)}[newest] == "started"
    assert scene.database.column("SELECT run_id::text FROM pruned.runs WHERE state = 'waiting'") == [newest]
    scene.database.execute("DELETE FROM pruned.runs WHERE run_id <> %s", [newest])
    for arguments in (["--dry-run"], []):
        assert [x["verdict"] for x in replay(scene, *arguments)] == ["done", "running", "done"]


@pytest.mark.check_all
def test_thousands_are_placed_in_order_and_again_are_done(scene):
    n = 2500
    times = [now(hours=-2, milliseconds=i) for i in range(n)]
    scene.topics.produce_many("ticks", [("k", json.dumps(
        {"job": WIDE, "scheduled_at": t.isoformat().replace("+00:00", "Z")}).encode()) for t in times])
    scene.topics.tick(WIDE, times[0])
    foreseen = replay(scene, "--dry-run")
    assert verdicts(foreseen) == {"would start": n, "running": 1}
    lines = replay(scene)
    assert [x["offset"] for x in lines] == list(range(n + 1))
    assert [x["run_id"] for x in lines] == [tick_id(WIDE, datetime.datetime.fromisoformat(m.value["scheduled_at"]))
                                            for m in scene.topics.read("ticks")]
    assert verdicts(lines) == {"started": n, "running": 1}
    scene.run_until_idle()
    assert scene.database.value("SELECT count(*) FROM pruned.runs WHERE state = 'finished'") == n
    assert verdicts(replay(scene)) == {"done": n + 1}


def test_a_dry_run_writes_nothing_and_waits_for_no_lock(scene):
    scene.topics.tick(JOB, at := now(hours=-1))
    with scene.database.connect() as other, other.transaction():
        other.execute("LOCK TABLE pruned.runs IN EXCLUSIVE MODE")
        assert verdicts(replay(scene, "--dry-run")) == {"would start": 1}
        refused(scene.run("replay", "--from", "-1d"), 3, "try again")
    assert verdicts(replay(scene)) == {"started": 1}
    assert scene.run_row(tick_id(JOB, at))["state"] == "ready"


def test_wrong_arguments_are_refused(scene):
    refused(scene.run("replay"), 1, "--from")
    refused(scene.run("replay", "--from", "yesterday"), 1, "--from")
    refused(scene.run("replay", "--from", "-1h", "--to", "-2h"), 1, "--to -2h")
    refused(scene.run("replay", "--from", "-1h", "--topic", "ticks,evnts"), 1, "unknown topic 'evnts'", "did you mean 'events'")
    refused(scene.run("replay", "--from", "-1h", "--job", "scratch.remov"), 6, "did you mean 'scratch.remove'")
    refused(scene.run("replay", "--from", "-1h", settings={"postgres.url": "postgresql://127.0.0.1:1/x"}), 3)
    scene.topics.drop("events")
    refused(scene.run("replay", "--from", "-1h"), 4, "missing topic", "pruned topics --apply")
