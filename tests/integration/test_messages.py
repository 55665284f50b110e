"""Published messages, as independent Avro and Kafka libraries read them: work, outcomes, headers,
keys, partitions, identities."""

import datetime
import json
import uuid

import pytest

from support.instance import Instance
from support.scene import NAMESPACE, UTC, child_id, event_id, fill, now, outcome_id, tick_id

pytestmark = pytest.mark.built_in

JOB = "members.remove_expired"


def once(messages):
    """Messages without repeats: one that was sent again, because it was missing for too long, has
    the identity of the first."""
    return list({m.headers["ce_id"]: m for m in messages}.values())


def check_headers(message, topics, record):
    headers = message.headers
    own = ["pruned_database"] if record == "pruned.Work" else []
    assert list(headers) == ["ce_specversion", "ce_id", "ce_source", "ce_type", "ce_time", "content-type", *own]
    assert headers["ce_specversion"] == "1.0" and headers["content-type"] == "application/avro"
    assert headers["ce_source"] == f"/pruned/{topics.prefix}" and headers["ce_type"] == record == message.schema
    assert abs(datetime.datetime.fromisoformat(headers["ce_time"]) - now()) < datetime.timedelta(minutes=5)


def test_a_run_tells_what_it_removed_and_what_it_kept(new_scene):
    scene = new_scene({"topics.partitions": 3})
    database, topics = scene.database, scene.topics
    there = Instance(database)
    human, bot, owner = there.user(), there.user(user_type=6), there.user()
    root = there.group()
    below = there.group(root)
    project = there.project(below)
    direct = there.put("members", access_level=30, source_id=below, source_type="Namespace", user_id=human,
                       type="GroupMember", expires_at=there.day(-2), member_namespace_id=below)
    invited = there.put("members", access_level=10, source_id=root, source_type="Namespace", type="GroupMember",
                        invite_email="a@b", invite_token="t", expires_at=there.day(0), member_namespace_id=root)
    robot = there.put("members", access_level=40, source_id=project, source_type="Project", user_id=bot,
                      type="ProjectMember", expires_at=there.day(-1),
                      member_namespace_id=there.row("projects", project)["project_namespace_id"])
    last = there.put("members", access_level=50, source_id=root, source_type="Namespace", user_id=owner,
                     type="GroupMember", expires_at=there.day(-9), member_namespace_id=root)
    at = now(minutes=-1)
    run_id = tick_id(JOB, at)
    topics.tick(JOB, at)
    scene.run_until_idle()

    outcomes = {(m.schema.rpartition(".")[2], m.text_key): m for m in topics.outcomes()
                if m.value["run_id"] == uuid.UUID(run_id)}
    removed = {"run_id": uuid.UUID(run_id), "step": 0, "root_namespace_id": root, "reason": "expired"}
    wanted = {
        ("MemberRemoved", str(direct)): removed | {
            "member_id": direct, "user_id": human, "source_type": "Namespace", "source_id": below, "access_level": 30,
            "expires_at": there.day(-2)},
        ("MemberRemoved", str(invited)): removed | {
            "member_id": invited, "user_id": None, "source_type": "Namespace", "source_id": root, "access_level": 10,
            "expires_at": there.day(0)},
        ("MemberRemoved", str(robot)): removed | {
            "member_id": robot, "user_id": bot, "source_type": "Project", "source_id": project, "access_level": 40,
            "expires_at": there.day(-1)},
        ("MemberKept", str(last)): {
            "run_id": uuid.UUID(run_id), "step": 0, "member_id": last, "user_id": owner, "source_type": "Namespace",
            "source_id": root, "reason": "last_owner"},
    }
    finished = outcomes.pop(("RunFinished", run_id))
    assert {key: message.value for key, message in outcomes.items()} == wanted
    assert finished.value | {"result": json.loads(finished.value["result"])} == {
        "run_id": uuid.UUID(run_id), "step": 0, "job": JOB, "state": "finished", "error": None,
        "result": scene.run_row(run_id)["result"]}
    assert scene.run_row(run_id)["result"] | {"scheduled": 0} == {
        "status": "completed", "updated_rows": 3, "removed": 3, "kept": 1, "gone": 0, "failed": 0, "scheduled": 0}
    for (record, entity), message in (outcomes | {("RunFinished", run_id): finished}).items():
        check_headers(message, topics, f"pruned.outcomes.{record}")
        assert message.headers["ce_id"] == outcome_id(run_id, 0, record, entity)

    child = child_id(run_id, "users.destroy", bot)
    [work] = once(m for m in topics.read("work.users.destroy") if m.text_key == child and m.value["step"] == 0)
    check_headers(work, topics, "pruned.Work")
    assert json.loads(work.value["args"]) == scene.run_row(child)["args"]
    assert scene.run_row(child)["args"]["reason"] == "Membership expired"
    assert scene.run_row(child)["scheduled_at"] == at and str(scene.run_row(child)["parent_id"]) == run_id


def test_a_run_that_goes_on_is_a_work_message_a_page_with_the_cursor(new_scene):
    scene = new_scene({"jobs.scratch.remove.delay_ms": 1})
    fill(scene.database, 25)
    at = now(minutes=-1)
    scene.topics.tick("scratch.remove", at)
    scene.run_until_idle()
    run_id = tick_id("scratch.remove", at)
    messages = once(scene.topics.read("work.scratch.remove"))
    for message in messages:
        check_headers(message, scene.topics, "pruned.Work")
        assert message.text_key == str(message.value["run_id"]) == run_id
        assert message.value["scheduled_at"] == at and message.value["job"] == "scratch.remove"
        assert message.value["attempt"] == 0 and json.loads(message.value["args"]) == {}
    cursors = [json.loads(m.value["cursor"]) if m.value["cursor"] else None for m in messages]
    assert [m.value["step"] for m in messages] == [0, 1, 2]
    assert cursors == [None, {"day": "2026-01-01", "id": 16}, {"day": "2026-01-01", "id": 6}]
    assert [m.value["due_at"] for m in messages] == sorted(m.value["due_at"] for m in messages)
    [finished] = scene.topics.outcomes("RunFinished")
    assert finished.value["step"] == 2 and finished.headers["ce_id"] == outcome_id(run_id, 2, "RunFinished", run_id)


def test_the_partition_of_work_is_the_slot(new_scene):
    scene = new_scene()
    ids = {}
    for n in range(24):
        at = now(minutes=-30 + n)
        scene.topics.tick("scratch.wide", at)
        run_id = tick_id("scratch.wide", at)
        ids[run_id] = int(run_id[:8], 16) % 8
    scene.run_until_idle()
    assert {m.text_key: m.partition for m in scene.topics.read("work.scratch.wide")} == ids
    assert {str(r["run_id"]): r["slot"] for r in scene.database.rows("SELECT run_id, slot FROM pruned.runs")} == ids


def test_outcomes_are_partitioned_by_key_as_javas_clients_do(new_scene):
    scene = new_scene({"topics.partitions": 5})
    for n in range(12):
        scene.topics.tick("scratch.wide", now(minutes=-30 + n))
    scene.run_until_idle()
    for message in scene.topics.outcomes("RunFinished"):
        assert message.partition == (murmur2(message.key) & 0x7fffffff) % 5


def murmur2(data):
    """The hash by which Kafka's own producer finds the partition of a key."""
    m, mask = 0x5bd1e995, 0xffffffff
    h = (0x9747b28c ^ len(data)) & mask
    for i in range(0, len(data) - 3, 4):
        k = int.from_bytes(data[i:i + 4], "little") * m & mask
        h = (h * m & mask) ^ ((k ^ k >> 24) * m & mask)
    rest = data[len(data) & ~3:]
    if rest:
        h = (h ^ int.from_bytes(rest, "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15


def test_an_event_that_is_sent_twice_and_in_both_encodings_is_one_run(new_scene):
    scene = new_scene()
    fill(scene.database, 3)
    topics, ce_time = scene.topics, now(minutes=-5)
    first = topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 1}, ce_time=ce_time)
    topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 1}, ce_time=ce_time, ce_id=first, avro=True)
    second = topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 2}, ce_time=ce_time, avro=True)
    topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 2}, ce_time=ce_time, ce_id=second, avro=True)
    scene.run_until_idle()
    rows = scene.database.rows("SELECT run_id::text, scheduled_at, args, result, state FROM pruned.runs "
                               "WHERE job = 'scratch.one' ORDER BY args::text")
    assert [r["run_id"] for r in rows] == [event_id("/test", ce_id, "scratch.one") for ce_id in (first, second)]
    assert [r["args"] for r in rows] == [{"placeholder_user_id": 1}, {"placeholder_user_id": 2}]
    assert {(r["scheduled_at"], r["state"], r["result"]["removed"]) for r in rows} == {(ce_time, "finished", 1)}
    assert scene.database.column("SELECT id FROM scratch") == [3]


def test_an_event_without_identity_is_known_by_its_place(new_scene):
    scene = new_scene()
    fill(scene.database, 2)
    for user in (1, 2):
        scene.topics.produce("events", json.dumps({"placeholder_user_id": user}).encode(), headers={
            "ce_type": "pruned.events.PlaceholderUserOrphaned", **({"ce_id": "x"} if user == 1 else {"ce_source": "/s"})})
    scene.run_until_idle()
    sent = scene.topics.read("events")
    wanted = [str(uuid.uuid5(NAMESPACE, f"event/{m.topic}/{m.partition}/{m.offset}/{m.timestamp_ms}/scratch.one")) for m in sent]
    rows = scene.database.rows("SELECT run_id::text, scheduled_at, state FROM pruned.runs WHERE job = 'scratch.one' "
                               "ORDER BY args::text")
    assert [r["run_id"] for r in rows] == wanted
    assert [r["scheduled_at"] for r in rows] == [
        datetime.datetime.fromtimestamp(m.timestamp_ms / 1000, UTC) for m in sent]
