"""Rows whose objects go first: a daemon that dies between object and row, or that sleeps there, and
starts again."""

import pytest

from support.buckets import Uploads
from support.places import fault_points
from support.scene import now
from support.sentences import house  # noqa: F401


@pytest.fixture
def uploads(house, gateway, request):  # noqa: F811
    made = Uploads(house, gateway, request.node.name)
    yield made
    made.proxy.close()


def reached():
    return [name for name in fault_points() if name.startswith(("errand.", "step.", "publish."))
            and name not in ("errand.open_transaction", "errand.acted_on_one", "step.after_fence")]


@pytest.mark.check_all
@pytest.mark.parametrize("point", reached())
@pytest.mark.parametrize("passage", [1, 2])
def test_killed_there_each_object_and_each_row_goes_once(uploads, point, passage):
    uploads.house.pruned.with_faults()
    uploads.make(batch=2, delay_ms=0)
    uploads.add((1, "one", True), (2, "pair", True), (3, None, True), (4, "kept", False), (5, "pair", True), (6, "shared", True),
                (7, "shared", False))
    uploads.put("one", "pair", "kept", "shared")
    uploads.house.start()
    run = uploads.house.pruned.run("tick", "files", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    killed = uploads.house.pruned.start("--until-idle", environment={"PRUNED_FAULT": f"{point}:kill:{passage}"})
    assert killed.wait(60) == -9
    named = {row["s3_key"] for row in uploads.database.rows("SELECT s3_key FROM uploads WHERE id IN (4, 7)")}
    assert named <= set(uploads.keys())
    uploads.house.work()
    assert uploads.left() == [4, 7] and uploads.keys() == ["kept", "shared"]
    assert sorted(key for _, _, key, _ in uploads.house.audit(run)) == [1, 2, 3, 5, 6]
    row = uploads.house.pruned.run_row(run)
    assert (row["state"], row["attempts"], row["result"]["removed"], row["result"].get("failed", 0)) == ("finished", 0, 5, 0)
    assert uploads.house.rows("pruned.quarantine") == []


def test_a_transaction_that_is_open_stops_the_step(uploads):
    uploads.house.pruned.with_faults()
    uploads.make()
    uploads.add((1, "one", True))
    uploads.put("one")
    uploads.house.start()
    uploads.house.pruned.run("tick", "files", "--at", now(minutes=-1).isoformat()).ok()
    daemon = uploads.house.pruned.start("--until-idle", environment={"PRUNED_FAULT": "errand.open_transaction:error"})
    assert daemon.wait(60) == 0
    daemon.wait_line("Step failed", job="files", error_class="TransactionInProgress")
    assert uploads.asked() == 0 and uploads.left() == [1] and uploads.keys() == ["one"]


@pytest.mark.check_all
def test_a_process_that_sleeps_before_it_asks_deletes_no_newer_object(uploads):
    """Another has deleted object and row meanwhile, and a new row owns a new object of the same
    name."""
    uploads.house.pruned.with_faults(at_once=2)
    uploads.make()
    uploads.add((1, "name", True))
    uploads.put("name")
    uploads.house.start()
    uploads.house.pruned.settings["kafka.session.timeout.ms"] = 6000
    run = uploads.house.pruned.run("tick", "files", "--at", now(minutes=-1).isoformat()).ok().stdout.strip()
    zombie = uploads.house.pruned.start(environment={"PRUNED_FAULT": "errand.after_lease:stop"})
    zombie.wait_stopped()
    since = uploads.database.value("SELECT clock_timestamp()")
    other = uploads.house.pruned.start()
    uploads.house.pruned.wait_run(run, deadline_s=60)
    assert uploads.left() == [] and uploads.keys() == []
    uploads.put("name")
    uploads.add((2, "name", False))
    uploads.database.wait("SELECT clock_timestamp() > %s + interval '31 s'", [since], until=True, deadline_s=60)
    zombie.thaw()
    zombie.wait_line("Partitions assigned", count=2 if zombie.lines("Partitions assigned") else 1)
    assert [daemon.stop(10) for daemon in (zombie, other)] == [0, 0]
    assert uploads.left() == [2] and uploads.keys() == ["name"]
