"""A compressed batch that would need more memory than a batch may have is passed over and named.
What is before and behind it in its partition is done, and no process dies of it."""

import pytest

from support.bombs import bomb, peak_mb
from support.own_events import erased, erasure, say_event, send, topics  # noqa: F401
from support.places import binary
from support.scene import now, tick_id
from support.sentences import house  # noqa: F401

JOB = "scratch.wide"
SAID = "A batch cannot be unpacked: its messages are passed over"


@pytest.fixture
def scene(new_scene):
    scene = new_scene({"jobs.scratch.wide.capacity": 1}).run_at_once(1)
    scene.at = now(minutes=-1)
    return scene


def tick(scene, n):
    scene.topics.tick(JOB, scene.at, {"n": n})
    return tick_id(JOB, scene.at, f'{{"n":{n}}}')


def passed_over(daemon):
    return [(line["partition"], line["first_offset"], line["last_offset"]) for line in daemon.lines(SAID, level="error")]


def found(scene):
    done = scene.run("doctor", "--json")
    return done.code, [f for f in done.json() if f["check"] == "lost messages" and not f["ok"]]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("codec, mb, most_mb", [("gzip", 110, 80), ("lz4", 220, 180), ("zstd", 220, 180)])
def test_a_batch_that_needs_too_much_memory_is_passed_over_and_named(scene, codec, mb, most_mb):
    """gzip is counted before memory is taken; of others some is, up to the bound, and up to twice
    while the end of the batch is looked for."""
    before = tick(scene, 1)
    first, last = bomb(scene.topics, "ticks", codec, n=mb)
    behind = tick(scene, 2)
    daemon = scene.start()
    for run in before, behind:
        assert scene.wait_run(run, deadline_s=90)["state"] == "finished"
    assert passed_over(daemon) == [(0, first, last)] and (first, last) == (1, mb)
    # A sanitizer keeps a shadow of all memory.
    assert peak_mb(daemon) < most_mb or binary().parent.name.startswith("san-")
    assert scene.database.rows("SELECT lost, lost_at = '-infinity' AS none_dropped, unread_first, unread_next FROM pruned.lost_messages") == [
        {"lost": mb, "none_dropped": True, "unread_first": 1, "unread_next": mb + 1}]
    code, [line] = found(scene)
    assert code == 4 and line["level"] == "error" and f"offsets 1 to {mb}" in line["detail"] and scene.topics.full("ticks") in line["detail"]
    daemon.stop()
    again = tick(scene, 3)
    daemon = scene.run_until_idle()
    assert passed_over(daemon) == [] and scene.run_row(again)["state"] == "finished"
    scene.database.execute("UPDATE pruned.lost_messages SET unread_at = unread_at - interval '25 h'")
    assert found(scene)[1] == []


@pytest.mark.check_all
def test_what_lies_between_two_such_batches_is_done(scene):
    """However the end of the first one is looked for, it is not taken for a part of it."""
    bombs, runs = [], []
    for n, size in enumerate((1, 70, 3), start=1):
        bombs.append(bomb(scene.topics, "ticks", n=size, size=70 * 1_000_000 // size))
        runs.append(tick(scene, n))
    daemon = scene.run_until_idle(deadline_s=120)
    assert [scene.run_row(run)["state"] for run in runs] == ["finished"] * 3
    assert passed_over(daemon) == [(0, *ends) for ends in bombs]
    code, [line] = found(scene)
    assert f"offsets {bombs[0][0]} to {bombs[2][1]}" in line["detail"]


@pytest.mark.check_all
@pytest.mark.parametrize("codec", ["gzip", "lz4", "zstd", "snappy"])
def test_a_batch_that_may_be_as_large_is_read(scene, codec):
    size = 15_000_000 if codec == "snappy" else 60_000_000
    first, last = bomb(scene.topics, "ticks", codec, n=60, size=size // 60, value=b'{"job": "scratch.none", "x": "')
    behind = tick(scene, 1)
    daemon = scene.run_until_idle(deadline_s=120)
    assert passed_over(daemon) == [] and scene.run_row(behind)["state"] == "finished"
    assert len(scene.topics.read("dead")) == last - first + 1, "they are ticks of no job"


@pytest.mark.check_all
def test_such_a_batch_between_messages_of_work_loses_no_run(scene):
    runs = [tick(scene, 1)]
    scene.run_until_idle()
    first, last = bomb(scene.topics, "work.scratch.wide")
    runs.append(tick(scene, 2))
    daemon = scene.run_until_idle(deadline_s=120)
    assert [scene.run_row(run)["state"] for run in runs] == ["finished"] * 2
    assert passed_over(daemon) == [(0, first, last)]
    assert found(scene)[0] == 4


@pytest.mark.check_all
def test_such_a_batch_in_a_topic_of_ones_own_events(erasure):  # noqa: F811
    say_event(erasure, "UserErasureRequested", "app-users", "key = person.id")
    erasure.pruned.topics.make("one", 1)
    say_event(erasure, "UserErasureRequested", "one", "key = person")
    send(erasure, {"person": 1}, topic="one")
    bomb(erasure.pruned.topics, "one")
    send(erasure, {"person": 2}, topic="one")
    erasure.work()
    assert erased(erasure) == [1, 2]
    assert "offsets 1 to 70" in found(erasure.pruned)[1][0]["detail"]


def test_a_process_that_dies_while_it_passes_one_over_says_it_once(scene):
    scene.with_faults()
    runs = [tick(scene, 1)]
    ends = bomb(scene.topics, "ticks")
    runs.append(tick(scene, 2))
    assert scene.start(environment={"PRUNED_FAULT": "unread.after_commit:kill"}).wait(90) == -9
    daemon = scene.run_until_idle(deadline_s=90)
    assert [scene.run_row(run)["state"] for run in runs] == ["finished"] * 2
    assert passed_over(daemon) == []
    assert scene.database.value("SELECT lost FROM pruned.lost_messages") == 70 == ends[1] - ends[0] + 1


# --- commands that read topics

def test_replay_passes_it_over_and_names_it(scene):
    """The runs of what lies before and behind it are started."""
    runs = [tick(scene, 1)]
    first, last = bomb(scene.topics, "ticks")
    runs.append(tick(scene, 2))
    done = scene.run("replay", "--from", "-1d", "--json")
    assert [(line["run_id"], line["verdict"]) for line in done.json()] == [(run, "started") for run in runs]
    assert done.code == 4 and f"topic {scene.topics.full('ticks')}, partition 0, offsets {first} to {last}" in done.stderr, done
    assert f"{last - first + 1} messages" in done.stderr
    assert [line["verdict"] for line in scene.run("replay", "--from", "-1d", "--dry-run", "--json").json()] == ["running"] * 2


def test_the_letters_before_and_behind_it_are_listed(scene):
    scene.topics.produce("dead", b"a")
    first, last = bomb(scene.topics, "dead")
    scene.topics.produce("dead", b"b")
    done = scene.run("dead", "list", "--json")
    assert [line["id"] for line in done.json()] == ["0:0", f"0:{last + 1}"]
    assert done.code == 4 and f"partition 0, offsets {first} to {last}" in done.stderr, done
