"""After an accident PostgreSQL or Kafka is rebuilt from the other without help: missing work is
done, and nothing is done twice."""

import datetime

import pytest
from confluent_kafka import KafkaError, KafkaException

from stack.process import wait_until
from support.instance import Instance
from support.places import corrupts_its_memory_when_a_topic_is_made_anew
from support.scene import configure, due_now, event_id, fill, now, tick_id

pytestmark = pytest.mark.built_in

CHAIN, WIDE, MEMBERS = "scratch.remove", "scratch.wide", "members.remove_expired"
SETTINGS = {"jobs.members.remove_expired.delay_ms": 0, "jobs.members.remove_expired.batch": 3,
            "jobs.members.remove_expired.refresh_delay_ms": 0}
ROWS = 120
ORPHAN = 7777


class There(Instance):
    """Ids of what begin() makes."""

    place: int  # the group
    gone: list  # memberships that go at once
    going: list  # memberships of the chain
    early: int  # a membership whose timer waits


@pytest.fixture
def scene(own_servers, new_scene):
    scene = new_scene(SETTINGS, **own_servers)
    scene.configuration.write_text(f"[jobs.{CHAIN}]\ndelay_ms = 3600000\n")
    scene.there = There(scene.database)
    return scene


# --- the work

def begin(scene):
    """Members that go at once, a timer that waits, a chain of twelve pages that pauses behind its
    second, an invalid message."""
    there = scene.there
    there.place = there.group()
    there.owner(there.user(), there.place)
    there.gone = [there.member(there.user(), there.place, expires_at=there.day(-5)) for _ in range(4)]
    there.going = [there.member(there.user(), there.place, expires_at=there.day(-1)) for _ in range(7)]
    there.early = there.member(there.user(), there.place, expires_at=there.day(2))
    fill(scene.database, ROWS)
    fill(scene.database, 1, day="2099-01-01", first=ORPHAN)
    scene.at = now(minutes=-3)
    scene.topics.tick(MEMBERS, scene.at - datetime.timedelta(days=3))
    scene.topics.event("MemberExpirySet", {"member_id": there.early, "expires_at": str(there.day(2))}, ce_id="early", ce_time=scene.at)
    scene.topics.tick(WIDE, scene.at, {"n": 1})
    scene.topics.produce("ticks", b"nonsense")
    scene.daemon = scene.start()
    for run_id in (tick_id(MEMBERS, scene.at - datetime.timedelta(days=3)), tick_id(WIDE, scene.at, '{"n":1}')):
        scene.wait_run(run_id)
    scene.wait_run(event_id("/test", "early", MEMBERS), "waiting")
    scene.topics.tick(CHAIN, scene.at)
    scene.chain = tick_id(CHAIN, scene.at)
    for step in (1, 2):
        scene.database.wait("SELECT state = 'waiting' AND step = %s FROM pruned.runs WHERE run_id = %s", [step, scene.chain])
        if step == 1:
            due_now(scene.database, scene.chain)


def end_pause(scene):
    """The chain goes on without long pauses."""
    running = [daemon for daemon in scene.daemons if daemon.running]
    for daemon in running:
        daemon.wait_line("Started")  # takes the signal from then on
    configure(scene, f"[jobs.{CHAIN}]\ndelay_ms = 10\n", *running)
    due_now(scene.database, scene.chain)


def go_on(scene):
    """Sends later ticks and events. Returns the ids of their runs, and of the chain, which goes
    on."""
    end_pause(scene)
    there, topics = scene.there, scene.topics
    topics.event("MemberExpirySet", {"member_id": there.early, "expires_at": str(there.day(9))}, ce_id="later", ce_time=now())
    topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": ORPHAN}, ce_id="orphan", ce_time=scene.at)
    topics.tick(WIDE, scene.at, {"n": 2})
    topics.tick(MEMBERS, scene.at)
    return [event_id("/test", "orphan", "scratch.one"), tick_id(WIDE, scene.at, '{"n":2}'), tick_id(MEMBERS, scene.at),
            scene.chain]


def wait_all(scene, run_ids):
    for run_id in run_ids:
        assert scene.wait_run(run_id, deadline_s=60)["state"] == "finished"


# --- the state

def runs(scene):
    return scene.database.rows("""
        SELECT run_id::text, job, CASE state WHEN 'ready' THEN 'waiting' ELSE state END AS state, step, attempts, unique_key, args,
            result, error
        FROM (SELECT * FROM pruned.runs UNION ALL SELECT * FROM pruned.runs_done) AS r ORDER BY run_id""")


def state(scene):
    database = scene.database
    audit = database.rows("SELECT run_id::text, step, table_name, action, keys FROM pruned.deletions")
    return {
        "runs": runs(scene),
        "members": database.rows("SELECT * FROM members ORDER BY id"),
        "scratch": database.column("SELECT id FROM scratch ORDER BY id"),
        "log": database.column("SELECT id FROM scratch_log ORDER BY id"),
        "audit": sorted((row | {"keys": sorted(row["keys"])} for row in audit), key=str),
        "timers": database.value("SELECT count(*) FROM pruned.timers"),
        "refreshes": database.rows("SELECT user_id, kind FROM pruned.dirty_users ORDER BY 1, 2"),
        "unpublished": database.wait("SELECT count(*) FROM pruned.unpublished", until=0),
    }


def said(scene):
    """{ce_id: outcome}; a repeat has the same content."""
    messages = scene.topics.outcomes()
    once = {m.headers["ce_id"]: m.raw for m in messages}
    assert len({(m.headers["ce_id"], m.raw) for m in messages}) == len(once)
    return once


def same(scene, before):
    got = state(scene)
    for name, value in before.items():
        assert got[name] == value, name


# --- the accidents

@pytest.mark.check_all
@pytest.mark.parametrize("daemons", ["one goes on", "two go on", "one is started again"])
def test_after_a_restored_backup_exactly_the_lost_work_is_done_again(own_postgres, scene, daemons):
    """PostgreSQL is recovered to a moment long after the backup (a recovery target). No message
    comes after the accident: missing work is found without one."""
    backup = own_postgres.back_up()
    if daemons == "two go on":
        scene.start().wait_line("Partitions assigned")
    begin(scene)
    done = scene.run_row(scene.chain)["step"]
    point = own_postgres.mark()
    wait_all(scene, go_on(scene))
    before, outcomes, dead = state(scene), said(scene), len(scene.topics.read("dead"))
    assert before["scratch"] == [] and len(before["log"]) == 2
    assert [m["id"] for m in before["members"]] == [1, scene.there.early]
    offsets = scene.topics.committed("ticks")

    if daemons == "one is started again":
        assert scene.daemon.stop() == 0
    scene.database.close()
    own_postgres.set_back(backup, point)
    own_postgres.start()
    scene.database.wait("SELECT NOT pg_is_in_recovery()", until=True)
    assert scene.database.value("SELECT count(*) FROM scratch") > 0, "it is set back"
    assert scene.run_row(scene.chain)["step"] >= done, "but not as far as to the backup"
    if daemons == "one is started again":
        scene.daemon = scene.start()
    due_now(scene.database, scene.chain)

    wait_until(lambda: runs(scene) == before["runs"], 60, lambda: f"runs\n{runs(scene)}\nas before\n{before['runs']}")
    same(scene, before)
    assert said(scene) == outcomes
    assert scene.topics.committed("ticks") == offsets and len(scene.topics.read("dead")) == dead
    assert not any(daemon.lines(level="error") for daemon in scene.daemons)


def revive(scene):
    """The library's defect (src/kafka/library.h) kills the daemon sooner or later. Here the test
    kills it, and starts it as a supervisor would."""
    scene.daemon.kill()
    scene.daemon = scene.start()


@pytest.mark.check_first(1)
@pytest.mark.parametrize("daemon", ["goes on", "is started again"])
def test_after_kafka_has_lost_all_data_work_continues_from_the_rows(own_kafka, scene, daemon):
    begin(scene)
    ahead = now(hours=1)
    scene.topics.tick(WIDE, ahead, {"n": 3})
    due = tick_id(WIDE, ahead, '{"n":3}')
    scene.wait_run(due, "waiting")

    own_kafka.lose()
    if daemon == "is started again":
        scene.daemon.stop()
    step = scene.run_row(scene.chain)["step"]
    assert step < ROWS / 10
    scene.database.execute("UPDATE pruned.runs SET scheduled_at = now(), due_at = now() WHERE run_id = %s", [due])
    own_kafka.start()
    wait_until(lambda: scene.run("topics", "--apply").code == 0, 30, "topics")
    if daemon == "is started again":
        scene.daemon = scene.start()
    elif corrupts_its_memory_when_a_topic_is_made_anew():
        revive(scene)

    end_pause(scene)
    wait_all(scene, [scene.chain, due])
    wait_all(scene, go_on(scene))
    got = state(scene)
    assert (got["scratch"], got["log"]) == ([], [1, 2, 3])
    assert [m["id"] for m in got["members"]] == [1, scene.there.early]
    taken = [key for row in got["audit"] if row["run_id"] == scene.chain for key in row["keys"]]
    assert sorted(taken) == list(range(1, ROWS + 1))
    assert {r["attempts"] for r in got["runs"]} == {0}
    finished = {m.text_key for m in scene.topics.outcomes("RunFinished")}
    assert finished >= {scene.chain, due, tick_id(MEMBERS, scene.at)}


def delete_group(topics):
    """The broker may notice a moment later that the last member has left."""
    try:
        topics.admin.delete_consumer_groups([topics.prefix])[topics.prefix].result(30)
    except KafkaException as failure:
        assert failure.args[0].code() == KafkaError.NON_EMPTY_GROUP, failure
        return False
    return True


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", ["deleted", "reset to the beginning"])
def test_after_the_consumer_group_has_lost_its_offsets_nothing_is_done_twice(scene, how):
    begin(scene)
    wait_all(scene, go_on(scene))
    before = state(scene)
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    assert scene.daemon.stop() == 0
    topics = scene.topics
    written = {name: len(topics.read(name)) for name in topics.partitions() if name != "dead"}
    if how == "deleted":
        wait_until(lambda: delete_group(topics), 30, "the group to be empty")
    else:
        topics.rewind()
    scene.daemon = scene.start()
    again = now(minutes=-1)
    topics.tick(WIDE, again, {"n": 4})
    wait_all(scene, [tick_id(WIDE, again, '{"n":4}')])
    scene.database.wait("SELECT count(*) FROM pruned.unpublished", until=0)
    assert scene.daemon.stop() == 0
    scene.run_until_idle()

    got = state(scene)
    assert got["log"] == before["log"] + [4]
    for name in before.keys() - {"runs", "log", "audit"}:
        assert got[name] == before[name], name
    new = tick_id(WIDE, again, '{"n":4}')
    assert [r for r in got["runs"] if r["run_id"] != new] == before["runs"]
    assert [a for a in got["audit"] if a["run_id"] != new] == before["audit"]
    written |= {name: written[name] + 1 for name in ("ticks", "work.scratch.wide", "outcomes")}
    assert {name: len(topics.read(name)) for name in written} == written, "what was delivered again has started nothing"
