"""Slots that are settled while PostgreSQL hangs: what one has waited for, the others do not wait
for again."""

import contextlib
import re
import threading

import pytest

from stack.process import wait_until
from support.exposition import Listening
from support.s3 import Objects, Proxy

pytestmark = pytest.mark.built_in

SLOT, SLOTS, BATCH = "ci.delete_objects", 16, 5
PLACE = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, slot, args, unique_key)
SELECT gen_random_uuid(), now(), now() + interval '1 second', 'waiting', %(job)s, s, jsonb_build_object('slot', s), %(job)s || ':' || s
FROM generate_series(0, %(slots)s - 1) s"""
LEASED = "SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()"


def held_longest(http):
    """For how many seconds a worker has the lane of a slot."""
    found = re.search(r'^pruned_running_step_seconds{job="ci\.delete_objects"} (\S+)$', http.ask("/metrics", within_s=20).text, re.M)
    return float(found[1]) if found else 0


@pytest.mark.check_all
def test_many_slots_wait_for_a_server_that_hangs_as_long_as_one(own_postgres, new_scene, gateway, request):
    """An answer may take 30 s, and a connection 5 s. 16 slots waited 110 s for these; a process
    that is busy for 180 s ends."""
    scene = new_scene({f"jobs.{SLOT}.capacity": SLOTS, f"jobs.{SLOT}.batch": BATCH}, server=own_postgres)
    objects = Objects(scene, scene.database, gateway, re.sub(r"\W+", "-", request.node.name))
    let_go, came = threading.Event(), threading.Event()
    proxy = Proxy(gateway.endpoint)
    proxy.misbehave = lambda command, body, go: (came.set(), let_go.wait(60), (*go(), None))[2]
    with contextlib.closing(Listening()) as http, contextlib.closing(proxy):
        scene.settings |= objects.settings | {"store.object.endpoint": proxy.url, "http.listen": http.listen}
        for n in range(SLOTS * BATCH):
            objects.add("a", f"file {n}", make=False)
        scene.start().wait_line("Partitions assigned")
        scene.database.execute(PLACE, {"job": SLOT, "slots": SLOTS})
        scene.database.wait(LEASED, until=SLOTS * BATCH)
        assert came.wait(30)
        own_postgres.freeze_all()
        let_go.set()
        wait_until(lambda: held_longest(http) > 25, 60, "slots that wait for an answer", 0.5)
        wait_until(lambda: held_longest(http) < 20, 35, "slots that wait no more", 0.5)
        own_postgres.thaw_all()
        scene.database.wait("SELECT count(*) FROM ci_deleted_objects", until=0)
