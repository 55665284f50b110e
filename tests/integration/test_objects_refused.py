"""Rows that PostgreSQL does not let go though their objects are gone: they have failed, and hold up no others."""

import pytest

TICK, SLOT = "ci.schedule_delete_objects", "ci.delete_objects"
RAISES = "RAISE EXCEPTION 'object % is on legal hold', OLD.file"
KEEPS = "RETURN NULL"


@pytest.fixture
def objects(pruned_with_slots, database, tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    return Objects(pruned_with_slots, database, root)


class Objects:
    def __init__(self, pruned, database, root):
        self.pruned, self.database, self.root = pruned, database, root

    def add(self, number):
        for i in range(number):
            (self.root / f"{i}").write_text("artifact")
        self.database.execute(
            "INSERT INTO ci_deleted_objects (file_store, store_dir, file, project_id, pick_up_at)"
            " SELECT 1, '', i::text, 7, now() - interval '2 hours' + i * interval '1 s' FROM generate_series(0, %s::int - 1) i", [number])

    def refuse(self, which, how):
        self.database.connection.execute(
            f"CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {how}; END $$;"
            f"CREATE TRIGGER keep BEFORE DELETE ON ci_deleted_objects FOR EACH ROW WHEN ({which}) EXECUTE FUNCTION keep()")

    def delete(self, **settings):
        self.pruned.run("tick", TICK).ok()
        return self.pruned.run_until_idle(settings={"store.local.root": self.root} | settings)

    def left(self):
        return self.database.column("SELECT file FROM ci_deleted_objects ORDER BY id")

    def run_of_slot(self):
        return self.database.row("SELECT * FROM pruned.runs WHERE job = %s", [SLOT])

    def quarantine(self):
        return self.database.rows("SELECT o.file, q.* FROM pruned.quarantine q"
                                  " LEFT JOIN ci_deleted_objects o ON q.item = 'ci_deleted_objects:' || o.id WHERE q.job = %s", [SLOT])


@pytest.mark.parametrize("how, words", [(RAISES, "legal hold"), (KEEPS, "refused: the statement did not change the row")])
def test_a_row_that_is_kept_holds_up_no_others(objects, how, words):
    objects.add(10)
    objects.refuse("OLD.file = '4'", how)
    daemon = objects.delete()
    assert objects.left() == ["4"]
    run = objects.run_of_slot()
    assert (run["state"], run["attempts"]) == ("finished", 0)
    assert (run["result"]["updated_rows"], run["result"]["failed"]) == (9, 1)
    [entry] = objects.quarantine()
    assert (entry["file"], entry["attempts"], entry["parked"]) == ("4", 1, False) and words in entry["reason"]
    assert words in daemon.wait_line("Object cannot be deleted", level="error")["error"]
    audit = objects.database.column("SELECT jsonb_array_length(keys) FROM pruned.deletions WHERE table_name = 'ci_deleted_objects'")
    assert audit == [9]


@pytest.mark.parametrize("how", [RAISES, KEEPS])
def test_a_row_that_is_kept_is_parked_after_its_tries(objects, how):
    objects.add(3)
    objects.refuse("OLD.file = '1'", how)
    for attempt in range(1, 4):
        objects.delete(**{"jobs.ci.delete_objects.item_attempts": 3})
        [entry] = objects.quarantine()
        assert (entry["attempts"], entry["parked"]) == (attempt, attempt == 3)
        objects.database.execute("UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 s' WHERE pick_up_at < now() + interval '1 hour'")
    objects.database.execute("DROP TRIGGER keep ON ci_deleted_objects")
    objects.pruned.run("quarantine", "retry", SLOT).ok()
    objects.delete()
    assert objects.left() == [] and objects.quarantine() == []


def test_more_rows_are_kept_than_one_step_finds(objects):
    """Those that it has not come to are given back, and are found by the next."""
    objects.add(200)
    objects.refuse("OLD.file::int % 4 = 0", RAISES)
    objects.delete()
    assert objects.left() == [f"{i}" for i in range(0, 200, 4)]
    assert len(objects.quarantine()) == 50
    runs = objects.database.rows("SELECT state, attempts FROM pruned.runs WHERE job = %s", [SLOT])
    assert all((run["state"], run["attempts"]) == ("finished", 0) for run in runs)


def test_when_all_rows_are_kept_it_is_the_run_that_fails(objects):
    objects.add(100)
    objects.refuse("true", RAISES)
    objects.delete()
    run = objects.run_of_slot()
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "legal hold" in run["error"]
    assert len(objects.left()) == 100 and objects.quarantine() == []


def test_a_row_that_somebody_else_has_removed_leaves_the_quarantine(objects):
    objects.add(2)
    objects.refuse("OLD.file = '1'", RAISES)
    objects.delete()
    assert len(objects.quarantine()) == 1
    objects.database.execute("DROP TRIGGER keep ON ci_deleted_objects")
    objects.database.execute("DELETE FROM ci_deleted_objects")
    objects.delete()
    assert objects.quarantine() == []
