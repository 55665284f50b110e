"""Between the lease and the settling of objects: a step that must not act, and a process that is
stopped for longer than its lease."""

import concurrent.futures
import datetime

import pytest

from support.scene import child_id, now, tick_id

pytestmark = pytest.mark.built_in

TICK, SLOT = "ci.schedule_delete_objects", "ci.delete_objects"


@pytest.fixture
def objects(scene, tmp_path):
    root = tmp_path / "objects"
    root.mkdir()
    scene.settings["store.local.root"] = root
    return Objects(scene.with_faults(), root)


class Objects:
    def __init__(self, scene, root):
        self.scene, self.database, self.file = scene, scene.database, root / "artifact"

    def add(self, content, ready="1 hour"):
        self.file.write_text(content)
        return self.database.value("INSERT INTO ci_deleted_objects (file_store, store_dir, file, pick_up_at)"
                                   " VALUES (1, '', 'artifact', now() - %s::interval) RETURNING id", [ready])

    def tick(self):
        """The id of the slot's run."""
        at = now(minutes=-1)
        self.scene.topics.tick(TICK, at)
        return child_id(tick_id(TICK, at), SLOT, "0")

    def left(self):
        return self.database.column("SELECT id FROM ci_deleted_objects ORDER BY id")

    def audited(self):
        return self.database.column("SELECT jsonb_array_elements(keys)::bigint FROM pruned.deletions"
                                    " WHERE table_name = 'ci_deleted_objects'")


def test_no_object_is_touched_while_a_transaction_is_open(objects):
    id_ = objects.add("artifact")
    run_id = objects.tick()
    daemon = objects.scene.start("--until-idle", environment={"PRUNED_FAULT": "errand.open_transaction:error"})
    assert daemon.wait() == 0  # the process continues
    line = daemon.wait_line("Step failed", job=SLOT, error_class="TransactionInProgress")
    assert line["error"] == "can't perform network calls inside a database transaction"
    assert objects.file.exists() and objects.left() == [id_]
    run = objects.scene.run_row(run_id)
    assert (run["state"], run["attempts"], line["retry_in_s"]) == ("waiting", 1, 600)
    assert run["created_at"] <= run["due_at"] - datetime.timedelta(seconds=600) <= run["changed_at"]


def test_a_step_is_tried_again_three_times(objects):
    objects.add("artifact")
    run_id = objects.tick()
    fault = {"PRUNED_FAULT": "errand.open_transaction:error"}
    for attempts in range(1, 5):
        assert objects.scene.start("--until-idle", environment=fault).wait() == 0
        run = objects.scene.run_row(run_id)
        assert (run["attempts"], run["state"]) == (attempts, "dead" if attempts == 4 else "waiting")
        objects.database.execute("UPDATE pruned.runs SET due_at = now() WHERE run_id = %s", [run_id])
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour'")
    objects.scene.run("retry", run_id).ok()
    objects.scene.run_until_idle()
    assert not objects.file.exists() and objects.left() == []


@pytest.mark.check_all
@pytest.mark.parametrize("passage", [1, 2, 3])
def test_killed_while_it_tries_which_row_a_trigger_keeps(objects, passage):
    """At the first settling, which is refused, at the one that tries the rows, and at the one that
    leaves the kept row out."""
    ids = [objects.add("artifact") for _ in range(4)]
    objects.database.connection.execute(
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'legal hold'; END $$;"
        f"CREATE TRIGGER keep BEFORE DELETE ON ci_deleted_objects FOR EACH ROW WHEN (OLD.id = {ids[1]}) EXECUTE FUNCTION keep()")
    run_id = objects.tick()
    killed = objects.scene.start("--until-idle", environment={"PRUNED_FAULT": f"errand.before_settle:kill:{passage}"})
    assert killed.wait() == -9
    assert objects.left() == ids and objects.audited() == []
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour'")
    objects.scene.run_until_idle()
    assert objects.left() == [ids[1]] and sorted(objects.audited()) == [ids[0], ids[2], ids[3]]
    run = objects.scene.run_row(run_id)
    assert (run["state"], run["attempts"], run["result"]["failed"]) == ("finished", 0, 1)
    assert objects.database.column("SELECT attempts FROM pruned.quarantine") == [1]


@pytest.mark.parametrize("how", ["kill", pytest.param("stop", marks=pytest.mark.check_all)])
def test_a_row_that_is_held_between_its_object_and_its_own_end_stays(objects, how):
    """The object is gone, its row is still there, and somebody holds a row that would go with it.
    The command says so once the lease has ended."""
    id_ = objects.add("artifact")
    objects.database.connection.execute(f"""CREATE TABLE notices (id bigint PRIMARY KEY, object bigint REFERENCES ci_deleted_objects ON DELETE CASCADE);
        CREATE INDEX ON notices (object); INSERT INTO notices VALUES (1, {id_}); GRANT SELECT, INSERT, UPDATE, DELETE ON notices TO PUBLIC""")
    objects.tick()
    daemon = objects.scene.start("--until-idle", environment={"PRUNED_FAULT": f"errand.before_settle:{how}"})
    if how == "kill":
        assert daemon.wait() == -9
    else:
        daemon.wait_stopped()
    assert not objects.file.exists() and objects.left() == [id_]
    with concurrent.futures.ThreadPoolExecutor() as aside:
        held = aside.submit(objects.scene.run, "hold", "notices:1", "--reason", "court")
        objects.database.wait("SELECT count(*) FROM pruned.holds", until=1)
        if how == "stop":
            daemon.thaw()
            assert daemon.wait() == 0
            (reason,) = objects.database.column("SELECT reason FROM pruned.quarantine WHERE job = %s", [SLOT])
            assert reason == "its row, or one that would go with it, is held since its lease: it stays, and its object is gone"
        objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour'")
        objects.tick()
        objects.scene.run_until_idle()
        assert "1 row is held" in held.result().ok().stdout
    assert objects.left() == [id_] and objects.database.column("SELECT id FROM notices") == [1]
    objects.scene.run("release", "notices:1", "--reason", "over", "--yes").ok()
    objects.tick()
    objects.scene.run_until_idle()
    assert objects.left() == [] and objects.database.column("SELECT id FROM notices") == []


@pytest.mark.check_all
def test_an_errand_that_wakes_after_its_lease_deletes_no_newer_object(objects):
    """Meanwhile another process has deleted object and row, and a new row owns a new object of the
    same name."""
    id_ = objects.add("old")
    ready_at = objects.database.value("SELECT pick_up_at FROM ci_deleted_objects")
    run_id = objects.tick()
    objects.scene.with_faults(at_once=2)
    settings = {f"jobs.{SLOT}.lease_ms": 2000}
    zombie = objects.scene.start(settings=settings, environment={"PRUNED_FAULT": "errand.after_lease:stop"})
    zombie.wait_stopped()
    # it is leased, or its lease has just ended
    assert objects.database.value("SELECT pick_up_at FROM ci_deleted_objects") > ready_at
    objects.database.wait("SELECT count(*) FROM ci_deleted_objects WHERE pick_up_at < now()", until=1)
    other = objects.scene.start(settings=settings)
    objects.scene.wait_run(run_id, deadline_s=60)
    assert not objects.file.exists() and objects.left() == []
    new = objects.add("new", ready="-1 hour")
    zombie.thaw()
    zombie.wait_line("Partitions assigned", count=2 if zombie.lines("Partitions assigned") else 1)
    assert [daemon.stop(10) for daemon in (zombie, other)] == [0, 0]
    assert objects.file.read_text() == "new" and objects.left() == [new] and objects.audited() == [id_]


@pytest.mark.check_all
def test_an_errand_that_kills_its_process_is_dead_after_three_deaths(objects):
    """The last time it runs alone, outside its lane. A death before its message came is one
    more."""
    objects.add("artifact")
    run_id = objects.tick()
    fault, deaths = {"PRUNED_FAULT": "errand.before_settle:kill"}, 0
    while objects.scene.start("--until-idle", environment=fault).wait(60) == -9:
        deaths += 1
        assert deaths <= 4
    assert deaths >= 3
    run = objects.scene.run_row(run_id)
    assert run["state"] == "dead" and run["error"].startswith("poison: ")
    assert objects.database.column("SELECT deaths FROM pruned.suspects") == []
