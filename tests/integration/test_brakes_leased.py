"""Objects that one slot has leased count for the day of the others before they are gone."""

import re
import threading

import pytest

from stack.process import patient, wait_until
from support.s3 import Objects, Proxy, let_go, proxy  # noqa: F401
from support.s3 import objects_behind as objects  # noqa: F401
from support.slow import slow_table

SLOT = "ci.delete_objects"
PLACE = """
INSERT INTO pruned.runs (run_id, scheduled_at, due_at, state, job, slot, args, unique_key)
SELECT gen_random_uuid(), now(), now() + CASE WHEN s > 0 THEN interval '1 day' ELSE interval '0' END, 'waiting', %(job)s, s,
       jsonb_build_object('slot', s), %(job)s || ':' || s FROM generate_series(0, 3) s"""
LEASED = "SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at > now()"


@pytest.mark.check_all
def test_slots_of_two_processes_never_exceed_the_rows_of_a_day(objects, pruned_with_slots, database, proxy, let_go):  # noqa: F811
    """The first slot has leased four and waits for the store. With the next four there would be
    eight; six are allowed."""
    proxy.misbehave = lambda command, body, go: (let_go.wait(60), (*go(), None))[1]
    settings = objects.settings | {f"jobs.{SLOT}.batch": 4, f"jobs.{SLOT}.max_rows_per_day": 6}
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
    assert set(database.column("SELECT error FROM pruned.runs WHERE slot > 0")) == {"held: 4 rows after 4 today are above max_rows_per_day 6"}
    assert database.value(LEASED) == 4
    let_go.set()
    wait_until(lambda: database.value("SELECT state FROM pruned.runs WHERE slot = 0") == "held", 30, "the first slot is held")
    assert database.column("SELECT DISTINCT rows_leased FROM pruned.runs") == [None]
    assert (database.value("SELECT sum(rows_done) FROM pruned.runs"), len(objects.left()), len(objects.keys())) == (4, 4, 4)


class Gathering:
    """A store that answers once the requests that wait name the objects of all slots, or after a
    second: then no more come. The first request that names objects of several slots waits longer,
    for the test."""

    def __init__(self, endpoint, slots, batch):
        self.proxy, self.batch, self.most, self.sizes = Proxy(endpoint), batch, slots * batch, []
        self.together, self.go_on = threading.Event(), threading.Event()
        self.proxy.misbehave = self._answer
        self.changed, self.waiting, self.rounds = threading.Condition(), 0, 0

    def _answer(self, command, body, go):
        size = body.count(b"<Key>")
        self.sizes.append(size)
        if size > self.batch:
            self.together.set()
            self.go_on.wait(60)
        with self.changed:
            self.waiting += size
            if self.waiting >= self.most:
                self.waiting, self.rounds = 0, self.rounds + 1
                self.changed.notify_all()
            elif not self.changed.wait_for(lambda before=self.rounds: self.rounds > before, 1):
                self.waiting -= size
        return *go(), None

    def close(self):
        self.go_on.set()
        self.proxy.close()


@pytest.fixture
def gathering(gateway):
    made = Gathering(gateway.endpoint, slots=4, batch=5)
    yield made
    made.close()


@pytest.mark.check_all
def test_slots_that_lease_together_take_their_rows_out_of_the_day(pruned_with_slots, database, gateway, gathering, request):
    """The store answers all slots at once, and a lease takes long. So the first one has the only
    worker of objects, and it then leases for the three others. All of them together get as many as
    the day allows."""
    number, most = 240, 120
    gathered = Objects(pruned_with_slots, database, gateway, re.sub(r"\W+", "-", request.node.name))
    database.execute("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at)"
                     " SELECT 2, 'd', 'f' || i, now() - interval '1 hour' FROM generate_series(1, %s) i", [number])
    slow_table(database, "ci_deleted_objects", 0.03, when="UPDATE")
    pruned_with_slots.settings |= gathered.settings | {
        "store.object.endpoint": gathering.proxy.url, "run.workers": 2, f"jobs.{SLOT}.batch": gathering.batch, f"jobs.{SLOT}.max_rows_per_day": most}
    database.execute(PLACE, {"job": SLOT})
    database.execute("UPDATE pruned.runs SET due_at = now()")
    pruned_with_slots.start()
    assert gathering.together.wait(patient(60)), "slots lease together"
    noted = database.row(f"SELECT ({LEASED}) AS rows, (SELECT sum(rows_leased) FROM pruned.runs) AS of_runs")
    # a count that begins now includes them
    assert noted["rows"] == noted["of_runs"] > gathering.batch
    gathering.go_on.set()
    database.wait("SELECT count(*) FROM pruned.runs WHERE job = %s AND state IN ('held', 'finished')", [SLOT], until=4, deadline_s=60)
    assert sum(gathering.sizes) == number - len(gathered.left()) == most
    assert database.value("SELECT sum(rows_done) FROM pruned.runs WHERE job = %s", [SLOT]) == most
