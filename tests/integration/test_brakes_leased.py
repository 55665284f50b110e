"""Objects that one slot has leased count for the day of the others before they are gone."""

import re
import threading
import time

import pytest

from stack.process import wait_until
from support.s3 import TICK, Objects, Proxy

SLOT = "ci.delete_objects"
PLACE = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, slot, args, unique_key)
SELECT gen_random_uuid(), now(), now() + CASE WHEN s > 0 THEN interval '1 day' ELSE interval '0' END, 'waiting', %(job)s, s,
       jsonb_build_object('slot', s), %(job)s || ':' || s FROM generate_series(0, 3) s"""
LEASED = "SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()"


@pytest.fixture
def let_go():
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def proxy(gateway, let_go):
    made = Proxy(gateway.endpoint)
    made.misbehave = lambda command, body, go: (let_go.wait(60), (*go(), None))[1]
    yield made
    let_go.set()
    made.close()


def test_slots_of_two_processes_never_exceed_the_rows_of_a_day(pruned_with_slots, database, gateway, proxy, let_go, request):
    """The first slot has leased four and waits for the store. With the next four there would be eight of six."""
    objects = Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name))
    settings = objects.settings | {"store.object.endpoint": proxy.url, f"jobs.{SLOT}.batch": 4, f"jobs.{SLOT}.max_rows_per_day": 6}
    for n in range(4):
        objects.add("a", f"file {n}")
    database.execute(PLACE, {"job": SLOT})
    daemons = [pruned_with_slots.start(settings=settings) for _ in range(2)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    database.wait(LEASED, until=4)
    assert database.value("SELECT rows_leased FROM pruned.runs WHERE slot = 0") == 4
    for n in range(4, 8):
        objects.add("a", f"file {n}")
    database.execute("UPDATE pruned.runs SET due_at = now() WHERE slot > 0")
    database.wait("SELECT count(*) FROM pruned.runs WHERE slot > 0 AND state IN ('held', 'finished') OR rows_leased > 0 AND slot > 0", until=3)
    assert set(database.column("SELECT error FROM pruned.runs WHERE slot > 0")) == {"held: max_rows_per_day 6: 4 went today, counted 4"}
    assert database.value(LEASED) == 4
    let_go.set()
    wait_until(lambda: database.value("SELECT state FROM pruned.runs WHERE slot = 0") == "held", 30, "the first slot is held")
    assert database.column("SELECT DISTINCT rows_leased FROM pruned.runs") == [None]
    assert (database.value("SELECT sum(rows_done) FROM pruned.runs"), len(objects.left()), len(objects.keys())) == (4, 4, 4)


@pytest.mark.parametrize("processes", [1, 2])
def test_slots_that_lease_together_take_their_rows_out_of_the_day(pruned_with_slots, database, gateway, request, processes):
    """One request names the objects of several slots, and all of them together are as many as the day allows."""
    number, most, batch, sizes = 240, 120, 5, []
    slow = Proxy(gateway.endpoint)

    def count(command, body, go):
        sizes.append(body.count(b"<Key>"))
        time.sleep(0.1)  # a slow store: messages of other slots arrive meanwhile
        return *go(), None

    slow.misbehave = count
    objects = Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name))
    for n in range(number):
        objects.add("a", f"file {n}", make=False)
    pruned_with_slots.settings |= objects.settings | {
        "store.object.endpoint": slow.url, "run.workers": 2, f"jobs.{SLOT}.batch": batch, f"jobs.{SLOT}.max_rows_per_day": most}
    pruned_with_slots.run("tick", TICK).ok()
    for _ in range(processes):
        pruned_with_slots.start()
    database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state IN ('held', 'finished')", [SLOT], until=3, deadline_s=60)
    slow.close()
    gone = number - len(objects.left())
    assert max(sizes) > batch, "slots lease together"
    assert sum(sizes) == gone == most
    assert database.value("SELECT sum(rows_done) FROM pruned.runs WHERE job = %s", [SLOT]) == gone
