"""Slots that begin, and go on, before their message has come from Kafka: the messages are there all
the same, and are handled."""

import pytest

from stack.process import wait_until
from support.metrics import http as listening  # noqa: F401
from support.objects import SLOT, TICK, ListedObjects

pytestmark = pytest.mark.built_in

N, PAGE = 120, 5


@pytest.fixture
def objects(pruned_with_slots, database, tmp_path):
    root = tmp_path / "objects"
    root.mkdir()
    return ListedObjects(pruned_with_slots, database, root)


def steps_by_message(pruned):
    """{run: its steps, in the order of their messages}."""
    steps = {}
    for message in pruned.topics.read(f"work.{SLOT}"):
        steps.setdefault(str(message.value["run_id"]), []).append(message.value["step"])
    return steps


def ends(pruned):
    """{partition: its end} of the partitions that have messages."""
    return {m.partition: m.offset + 1 for m in pruned.topics.read(f"work.{SLOT}")}


def test_each_step_has_its_message_and_none_is_left_or_stale(objects, listening):
    pruned = objects.pruned
    objects.add(N, store=1)
    pruned.start(settings={"store.local.root": objects.root, f"jobs.{SLOT}.batch": PAGE, "http.listen": listening.listen})
    pruned.topics.tick(TICK)
    objects.database.wait(f"SELECT count(*) FROM pruned.runs WHERE job = '{TICK}' AND state = 'finished'", until=1)
    objects.database.wait(f"SELECT count(*) FROM pruned.runs WHERE job = '{SLOT}' AND state <> 'finished'", until=0)
    assert objects.rows() == [] and list(objects.root.iterdir()) == []
    runs = objects.runs()
    assert sum(run["result"]["updated_rows"] for run in runs) == N
    assert steps_by_message(pruned) == {str(run["run_id"]): list(range(run["step"])) for run in runs}
    wait_until(lambda: pruned.topics.committed(f"work.{SLOT}") == ends(pruned), 30, "all messages to be handled")
    in_vain = ("pruned_stale_messages_total", "pruned_republished_total")
    assert {key: n for key, n in listening.metrics().samples.items() if key[0] in in_vain} == {}
