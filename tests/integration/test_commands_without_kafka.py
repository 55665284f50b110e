"""Kafka does not answer: each command that asks it ends in bounded time and says what it could not
do. What PostgreSQL alone can do is done."""

import time

import pytest

from stack.ports import HeldPort
from support.scene import fill, now, start, tick_id

JOB = "scratch.wide"
NOTED = "SELECT count(*) FROM pruned.journal"
NOT_COMPARED = "It could not be compared whether this server was left behind by a promotion"


def test_stop_and_hold_need_no_kafka(new_scene):
    """They wait for a moment, because another server may be the primary now, and say that it is not
    known."""
    scene = new_scene({})
    scene.settings["kafka.bootstrap.servers"] = f"127.0.0.1:{HeldPort().number}"
    fill(scene.database, 1)
    for command in ["stop", "--reason", "too many"], ["hold", "scratch:1", "--reason", "case 1"]:
        done = scene.run(*command).ok()
        assert NOT_COMPARED in done.stderr, done
    assert scene.database.column("SELECT command FROM pruned.journal WHERE command IN ('stop', 'hold') ORDER BY 1") == ["hold", "stop"]
    looked = scene.run("runs").ok()
    assert looked.stderr == "", "what changes nothing asks nobody"


@pytest.mark.check_all
@pytest.mark.parametrize("how", ["freeze", "kill"])
def test_each_ends_and_says_what_is_not_done(own_kafka, new_scene, how):
    scene = new_scene({}, bootstrap=own_kafka.bootstrap)
    (daemon,) = start(scene)
    scene.topics.tick(JOB, at := now(minutes=-1), {"n": 1})
    scene.wait_run(tick_id(JOB, at, '{"n":1}'))
    daemon.stop()
    noted = scene.database.value(NOTED)
    getattr(own_kafka, how)()
    try:
        for command in (["tick", JOB], ["emit", "MemberExpirySet", "member_id=42", "expires_at=2026-12-31"], ["replay", "--from", "-2h"],
                        ["dead"], ["dead", "retry", "0:0"], ["topics", "--apply"], ["doctor"]):
            began = time.monotonic()
            ended = scene.run(*command)
            assert ended.code == 4 and time.monotonic() - began < 45, ended
            assert own_kafka.bootstrap in ended.stderr + ended.stdout, ended
    finally:
        own_kafka.thaw()
    assert scene.database.value(NOTED) == noted, "nothing was done"
