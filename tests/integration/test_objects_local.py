"""Objects in a local folder: listed objects go, and what happens to those that cannot."""

import errno

import pytest

from support.objects import SLOT, TICK, waits_for_its_store
from support.objects import local_objects as objects  # noqa: F401


@pytest.fixture
def bad_disk(objects, preload):
    """Makes removing fail: `bad_disk(errno.ESTALE, UNLINK_ONLY=name)`."""
    library = preload("odd_files")
    if library is None:
        pytest.skip("a sanitizer must be loaded first")

    def make(number, **more):
        objects.pruned.environment |= {"LD_PRELOAD": library, "UNLINK_ERRNO": number} | more

    return make


def test_listed_objects_go_and_their_rows_with_them(objects):
    for i in range(230):
        objects.add(f"a/{i % 7}", f"artifact {i} ü%+&.zip")
    (objects.root / "a" / "0" / "not listed").write_text("stays")
    objects.delete()
    assert objects.left() == []
    assert [path.name for path in objects.root.rglob("*") if path.is_file()] == ["not listed"]
    # empty folders stay by default
    assert sum(path.is_dir() for path in objects.root.rglob("*")) == 1 + 7
    slots = objects.results()
    assert len(slots) == 3 and sum(r["deleted"] for r in slots) == 230
    assert sum(r["updated_rows"] for r in slots) == 230 and all(r["status"] == "completed" for r in slots)
    recorded = objects.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions"
                                      " WHERE table_name = 'ci_deleted_objects' AND action = 'deleted'")
    assert recorded == 230


def test_a_directory_is_the_objects_failure_and_the_others_go_on(objects):
    (objects.root / "d" / "folder").mkdir(parents=True)
    bad = objects.add("d", "folder", make=False)
    objects.add("d", "file")
    objects.database.execute("INSERT INTO routes (source_type, source_id, path) VALUES ('Project', 7, 'top/sub/project')")
    daemon = objects.delete()
    assert objects.left() == [bad] and (objects.root / "d" / "folder").is_dir()
    line = daemon.wait_line("Object cannot be deleted", level="error", id=str(bad))
    assert {"project_id": "7", "file_store": "1", "store_dir": "d", "file": "folder", "error": "is a directory",
            "project": "top/sub/project", "root_namespace": "top"}.items() <= line.items()
    row = objects.database.row("SELECT q.next_try_at, o.pick_up_at, q.parked FROM pruned.quarantine q, ci_deleted_objects o")
    assert row["next_try_at"] == row["pick_up_at"] and not row["parked"]


def test_a_missing_root_is_a_store_that_is_down_and_leases_are_given_back(objects):
    id_ = objects.add("a", "file", make=False)
    before = objects.database.value("SELECT pick_up_at FROM ci_deleted_objects")
    objects.root.rmdir()
    objects.delete()
    assert objects.left() == [id_]
    assert objects.database.value("SELECT pick_up_at FROM ci_deleted_objects") == before
    run = objects.database.row("SELECT * FROM pruned.runs WHERE job = 'ci.delete_objects'")
    assert waits_for_its_store(run) and "root" in run["error"], run
    assert objects.quarantine() == {}


@pytest.mark.check_first(1)
@pytest.mark.parametrize("number", [errno.ESTALE, errno.EROFS, errno.EIO])
def test_a_failing_disk_counts_as_a_store_that_is_down(objects, bad_disk, number):
    ids = [objects.add("a", "file"), objects.add("a", "another")]
    before = objects.database.column("SELECT pick_up_at FROM ci_deleted_objects ORDER BY id")
    bad_disk(number)
    objects.delete()
    assert objects.left() == ids and objects.quarantine() == {}
    assert objects.database.column("SELECT pick_up_at FROM ci_deleted_objects ORDER BY id") == before
    run = objects.database.row("SELECT * FROM pruned.runs WHERE job = 'ci.delete_objects'")
    assert waits_for_its_store(run) and run["error"].startswith(f"[store.local] root {objects.root}: a/"), run


@pytest.mark.check_first(1)
@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES])
def test_one_file_that_cannot_be_removed_is_the_objects_failure(objects, bad_disk, number):
    bad = objects.add("a", "bad")
    objects.add("a", "file")
    bad_disk(number, UNLINK_ONLY="bad")
    objects.delete()
    assert objects.left() == [bad] and not objects.quarantine()[f"ci_deleted_objects:{bad}"]["parked"]


def test_an_unknown_store_is_a_failure_with_its_name(objects):
    ids = [objects.add("a", "file", store=store, make=False) for store in (9, -1)]
    objects.add("a", "fine")
    objects.delete()
    assert objects.left() == ids and not (objects.root / "a" / "fine").exists()
    assert [objects.quarantine()[f"ci_deleted_objects:{id_}"]["reason"] for id_ in ids] == [
        "unknown file_store 9", "unknown file_store -1"]


def test_an_object_is_parked_after_ten_failures(objects):
    (objects.root / "d" / "folder").mkdir(parents=True)
    id_ = objects.add("d", "folder", make=False)
    objects.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts)"
                             " VALUES ('ci.delete_objects', %s, 'before', 9)", [f"ci_deleted_objects:{id_}"])
    objects.delete()
    row = objects.database.row("SELECT *, next_try_at - now() > interval '23 hours' AS tomorrow FROM pruned.quarantine")
    assert row["attempts"] == 10 and row["parked"] and row["tomorrow"]
    assert objects.database.value("SELECT pick_up_at FROM ci_deleted_objects") == row["next_try_at"]


@pytest.mark.check_all
def test_a_parked_object_is_tried_a_day_later_and_forgotten_when_it_goes(objects):
    (objects.root / "d" / "folder").mkdir(parents=True)
    id_ = objects.add("d", "folder", make=False)
    objects.delete(**{"jobs.ci.delete_objects.item_attempts": 1})
    assert objects.quarantine()[f"ci_deleted_objects:{id_}"]["parked"]
    (objects.root / "d" / "folder").rmdir()
    objects.add("d", "folder")
    objects.delete()
    assert objects.left() == [id_]
    # as if that day were over
    objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = pick_up_at - interval '1 day'")
    objects.database.execute("UPDATE pruned.quarantine SET next_try_at = next_try_at - interval '1 day'")
    objects.delete()
    assert objects.left() == [] and objects.quarantine() == {}


def test_a_parked_object_that_is_released_by_hand_is_taken_by_the_next_run(objects):
    (objects.root / "d" / "folder").mkdir(parents=True)
    (objects.root / "d" / "other").mkdir(parents=True)
    released, other = objects.add("d", "folder", make=False), objects.add("d", "other", make=False)
    objects.delete(**{"jobs.ci.delete_objects.item_attempts": 1})
    (objects.root / "d" / "folder").rmdir()
    objects.pruned.run("quarantine", "retry", SLOT, f"ci_deleted_objects:{released}").ok()
    row = objects.database.row("SELECT q.next_try_at, o.pick_up_at, now() FROM pruned.quarantine q, ci_deleted_objects o"
                               " WHERE q.item = 'ci_deleted_objects:' || o.id AND NOT q.parked")
    assert row["next_try_at"] == row["pick_up_at"] <= row["now"]
    objects.delete()
    assert objects.left() == [other] and list(objects.quarantine()) == [f"ci_deleted_objects:{other}"]


def test_an_object_whose_row_is_leased_elsewhere_is_left_alone(objects):
    leased = objects.add("a", "leased", age="-5 minutes")
    objects.add("a", "ready")
    objects.delete()
    assert [path.name for path in (objects.root / "a").iterdir()] == ["leased"] and objects.left() == [leased]


def test_what_becomes_ready_behind_a_slot_is_not_forgotten(objects):
    """A slot continues where its last page ended, although an older object was listed meanwhile."""
    for i in range(5):
        objects.add("a", f"{i}", age=f"{9 - i} hours")
    (objects.root / "a" / "late").write_text("artifact")
    objects.database.connection.execute("""
        CREATE FUNCTION list_late() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          INSERT INTO public.ci_deleted_objects (store_dir, file, pick_up_at) VALUES ('a', 'late', now() - interval '1 day');
          RETURN NULL; END $$;
        CREATE TRIGGER late AFTER DELETE ON ci_deleted_objects FOR EACH ROW WHEN (OLD.file = '3') EXECUTE FUNCTION list_late()""")
    objects.delete(**{"jobs.ci.delete_objects.batch": 2})
    assert objects.left() == [] and not (objects.root / "a" / "late").exists()
    run = objects.database.row("SELECT * FROM pruned.runs WHERE job = 'ci.delete_objects'")
    assert (run["step"], run["result"]["deleted"]) == (3, 6) and "reached" in run["cursor"]


def test_the_event_starts_the_job_and_arguments_reach_the_slots(objects):
    objects.add("a", "file")
    objects.pruned.run("emit", "ObjectsMarkedForDeletion").ok()
    objects.pruned.run_until_idle(settings=objects.settings)
    assert objects.left() == []
    objects.add("a", "another")
    objects.pruned.run("tick", TICK, "--arg", "why=test").ok()
    objects.pruned.run_until_idle(settings=objects.settings)
    assert objects.left() == []
    args = objects.database.column("SELECT args FROM pruned.runs WHERE job = 'ci.delete_objects'")
    assert {"slot": 0, "why": "test"} in args
    assert "unknown argument 'slot'" in objects.pruned.run("tick", TICK, "--arg", "slot=1").stderr


@pytest.mark.parametrize("job", [TICK, SLOT])
def test_the_plan_says_what_would_go_by_store_and_project_and_what_is_parked(objects, job):
    objects.add("a", "file")
    objects.add("a", "another")
    objects.add("b", "file", store=2, make=False)
    parked = objects.add("b", "later", age="-23 hours")
    objects.add("b", "leased", age="-5 minutes")
    objects.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts, parked, next_try_at)"
                             " VALUES ('ci.delete_objects', %s, 'is a directory', 10, true, now() + interval '23 hours')",
                             [f"ci_deleted_objects:{parked}"])
    *lines, summary = objects.pruned.run("plan", job, "--json").ok().json()
    assert [(line["table"], line["key"], line["action"], line["reason"]) for line in lines] == [
        ("ci_deleted_objects", "store 1, project 7", "deleted", "2 objects"),
        ("ci_deleted_objects", "store 2, project 7", "deleted", "1 object"),
        ("ci_deleted_objects", str(parked), "parked", "is a directory")]
    assert summary["summary"] == {"deleted": 2, "parked": 1}
    assert (objects.root / "a" / "file").exists() and len(objects.left()) == 5
