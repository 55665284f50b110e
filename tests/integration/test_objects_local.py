"""Objects on a local directory: what is listed goes, nothing else is ever touched."""

import pytest

TICK = "ci.schedule_delete_objects"


@pytest.fixture
def store(tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "precious").write_text("keep me")
    return root


@pytest.fixture
def objects(pruned, database, store):
    pruned.run("topics", "--apply").ok()
    return Objects(pruned, database, store)


class Objects:
    def __init__(self, pruned, database, root):
        self.pruned, self.database, self.root = pruned, database, root
        self.settings = {"store.local.root": root}

    def add(self, dir_, file, *, store=1, make=True, age="2 hours"):
        if make:
            (self.root / dir_).mkdir(parents=True, exist_ok=True)
            (self.root / dir_ / file).write_text("artifact")
        return self.database.value(
            "INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at, created_at)"
            " VALUES (%s, %s, %s, 7, now() - %s::interval, now() - %s::interval) RETURNING id",
            [store, dir_, file, age, age])

    def delete(self, **settings):
        self.pruned.run("tick", TICK).ok()
        return self.pruned.run_until_idle(settings=self.settings | settings)

    def left(self):
        return self.database.column("SELECT id FROM ci_deleted_objects ORDER BY id")

    def results(self):
        return self.database.column(
            "SELECT result FROM pruned.runs WHERE job = 'ci.delete_objects' ORDER BY slot")

    def quarantine(self):
        return {row["item"]: row for row in self.database.rows("SELECT * FROM pruned.quarantine")}


def test_listed_objects_go_and_their_rows_with_them(objects):
    for i in range(230):
        objects.add(f"a/{i % 7}", f"artifact {i} ü%+&.zip")
    (objects.root / "a" / "0" / "not listed").write_text("stays")
    objects.delete()
    assert objects.left() == []
    assert [path.name for path in objects.root.rglob("*") if path.is_file()] == ["not listed"]
    slots = objects.results()
    assert len(slots) == 3 and sum(r["deleted"] for r in slots) == 230
    assert sum(r["updated_rows"] for r in slots) == 230 and all(r["status"] == "completed" for r in slots)
    recorded = objects.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions"
                                      " WHERE table_name = 'ci_deleted_objects' AND action = 'deleted'")
    assert recorded == 230


def test_an_object_that_is_not_there_counts_as_deleted(objects):
    objects.add("gone", "file", make=False)
    (objects.root / "plain").write_text("a file")
    objects.add("plain", "below-a-file", make=False)
    objects.delete()
    assert objects.left() == []
    assert objects.results()[0]["absent"] == 2
    assert (objects.root / "plain").exists()


@pytest.mark.parametrize("dir_, file", [
    ("../outside", "precious"), ("/etc", "passwd"), ("a/../../outside", "precious"), ("link", "precious"),
    ("a", "link-to-file"), ("a/..", "x")])
def test_a_path_that_leaves_the_root_is_never_followed(objects, dir_, file):
    (objects.root / "a").mkdir()
    (objects.root / "link").symlink_to(objects.root.parent / "outside")
    (objects.root / "a" / "link-to-file").symlink_to(objects.root.parent / "outside" / "precious")
    id_ = objects.add(dir_, file, make=False)
    objects.delete()
    assert objects.left() == [id_]
    assert (objects.root.parent / "outside" / "precious").read_text() == "keep me"
    assert (objects.root / "a" / "link-to-file").is_symlink()
    entry = objects.quarantine()[f"ci_deleted_objects:{id_}"]
    assert entry["reason"] == "unsafe path" and entry["parked"]
    assert objects.results()[0]["failed"] == 1


def test_two_dots_within_a_name_are_a_name(objects):
    objects.add("v1..v2", "a..b")
    objects.delete()
    assert objects.left() == [] and not (objects.root / "v1..v2" / "a..b").exists()


def test_a_directory_is_the_objects_failure_and_the_others_go_on(objects):
    (objects.root / "d" / "folder").mkdir(parents=True)
    bad = objects.add("d", "folder", make=False)
    objects.add("d", "file")
    daemon = objects.delete()
    assert objects.left() == [bad] and (objects.root / "d" / "folder").is_dir()
    line = daemon.wait_line("Object cannot be deleted", id=str(bad))
    assert {"id", "project_id", "file_store", "store_dir", "file", "error"} <= line.keys()
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
    assert run["state"] == "waiting" and run["attempts"] == 0 and "root" in run["error"]
    assert objects.quarantine() == {}


def test_an_unknown_store_is_a_failure_with_its_name(objects):
    id_ = objects.add("a", "file", store=9, make=False)
    objects.delete()
    assert objects.quarantine()[f"ci_deleted_objects:{id_}"]["reason"] == "unknown file_store 9"


def test_an_object_is_parked_after_ten_failures(objects):
    (objects.root / "d" / "folder").mkdir(parents=True)
    id_ = objects.add("d", "folder", make=False)
    objects.database.execute("INSERT INTO pruned.quarantine (job, item, reason, attempts)"
                             " VALUES ('ci.delete_objects', %s, 'before', 9)", [f"ci_deleted_objects:{id_}"])
    objects.delete()
    row = objects.database.row("SELECT *, next_try_at - now() > interval '23 hours' AS tomorrow FROM pruned.quarantine")
    assert row["attempts"] == 10 and row["parked"] and row["tomorrow"]
    assert objects.database.value("SELECT pick_up_at FROM ci_deleted_objects") == row["next_try_at"]


def test_empty_folders_go_up_to_the_root_if_asked_for(objects):
    objects.add("a/b/c", "file")
    (objects.root / "a" / "stays").write_text("x")
    objects.delete(**{"store.local.prune_empty_dirs": "on"})
    assert sorted(p.name for p in objects.root.rglob("*")) == ["a", "stays"]


def test_an_object_whose_row_is_leased_elsewhere_is_left_alone(objects):
    objects.add("a", "file", age="-5 minutes")
    objects.delete()
    assert (objects.root / "a" / "file").exists() and len(objects.left()) == 1


def test_what_becomes_ready_behind_a_slot_is_not_forgotten(objects):
    """A slot reads on from where its last page ended; meanwhile an older object is listed."""
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


def test_the_event_only_wakes_and_arguments_reach_the_slots(objects):
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


def test_the_plan_says_what_would_go_by_store_and_project(objects):
    objects.add("a", "file")
    objects.add("b", "file", store=2, make=False)
    lines = objects.pruned.run("plan", TICK, "--json").ok().json()
    assert {"key": "store 1, project 7", "reason": "1 objects"}.items() <= lines[0].items()
    assert (objects.root / "a" / "file").exists() and len(objects.left()) == 2
