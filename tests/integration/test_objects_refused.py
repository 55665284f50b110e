"""Rows that PostgreSQL refuses to delete although their objects are gone: they count as failed, and
delay no others."""

import pytest

from support.objects import SLOT, ListedObjects

RAISES = "RAISE EXCEPTION 'object % is on legal hold', OLD.file"
KEEPS = "RETURN NULL"


@pytest.fixture
def objects(pruned_with_slots, database, tmp_path):
    root = tmp_path / "store"
    root.mkdir()
    return Objects(pruned_with_slots, database, root)


class Objects(ListedObjects):
    def refuse(self, which, how):
        self.database.connection.execute(
            f"CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {how}; END $$;"
            f"CREATE TRIGGER keep BEFORE DELETE ON ci_deleted_objects FOR EACH ROW WHEN ({which}) EXECUTE FUNCTION keep()")

    def hold(self, which, how, timing="BEFORE"):
        self.database.connection.execute(
            f"CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN {how}; RETURN NEW; END $$;"
            f"CREATE TRIGGER hold {timing} UPDATE ON ci_deleted_objects FOR EACH ROW WHEN ({which}) EXECUTE FUNCTION hold()")

    def left(self):
        return self.database.column("SELECT file FROM ci_deleted_objects ORDER BY id")

    def quarantine(self):
        return self.database.rows("SELECT o.file, q.* FROM pruned.quarantine q"
                                  " LEFT JOIN ci_deleted_objects o ON q.item = 'ci_deleted_objects:' || o.id WHERE q.job = %s", [SLOT])


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how, words", [(RAISES, "legal hold"), (KEEPS, "refused: the statement did not change the row")])
def test_a_row_that_is_kept_delays_no_others(objects, how, words):
    objects.add(10, store=1)
    objects.refuse("OLD.file = 'file 5'", how)
    daemon = objects.delete()
    assert objects.left() == ["file 5"]
    [run] = objects.runs()
    assert (run["state"], run["attempts"]) == ("finished", 0)
    assert (run["result"]["updated_rows"], run["result"]["failed"]) == (9, 1)
    [entry] = objects.quarantine()
    assert (entry["file"], entry["attempts"], entry["parked"]) == ("file 5", 1, False) and words in entry["reason"]
    assert words in daemon.wait_line("Object cannot be deleted", level="error")["error"]
    audit = objects.database.column("SELECT jsonb_array_length(keys) FROM pruned.deletions WHERE table_name = 'ci_deleted_objects'")
    assert audit == [9]


@pytest.mark.check_all
@pytest.mark.parametrize("how", [RAISES, KEEPS])
def test_a_row_that_is_kept_is_parked_after_its_tries(objects, how):
    objects.add(3, store=1)
    objects.refuse("OLD.file = 'file 2'", how)
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
    """Rows that the step did not reach are given back, and the next step finds them."""
    objects.add(200, store=1)
    objects.refuse("substr(OLD.file, 6)::int % 4 = 0", RAISES)
    objects.delete()
    assert objects.left() == [f"file {i}" for i in range(4, 201, 4)]
    assert len(objects.quarantine()) == 50
    assert all((run["state"], run["attempts"]) == ("finished", 0) for run in objects.runs())


def test_when_all_rows_are_kept_it_is_the_run_that_fails(objects):
    objects.add(100, store=1)
    objects.refuse("true", RAISES)
    objects.delete()
    [run] = objects.runs()
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "legal hold" in run["error"]
    assert len(objects.left()) == 100 and objects.quarantine() == []


def test_a_row_that_another_session_removed_leaves_the_quarantine(objects):
    objects.add(2, store=1)
    objects.refuse("OLD.file = 'file 2'", RAISES)
    objects.delete()
    assert len(objects.quarantine()) == 1
    objects.database.execute("DROP TRIGGER keep ON ci_deleted_objects")
    objects.database.execute("DELETE FROM ci_deleted_objects")
    objects.delete()
    assert objects.quarantine() == []


# --- rows that cannot be leased

SWALLOWS = ("BEFORE", "RETURN NULL")
SETS_BACK = ("BEFORE", "NEW.pick_up_at := OLD.pick_up_at")
SETS_BACK_AFTER = ("AFTER", "UPDATE ci_deleted_objects SET pick_up_at = OLD.pick_up_at WHERE id = OLD.id AND pg_trigger_depth() = 1")


@pytest.mark.check_all
@pytest.mark.parametrize("batch", [100, 4])
@pytest.mark.parametrize("timing, how", [SWALLOWS, SETS_BACK, SETS_BACK_AFTER])
def test_a_row_that_cannot_be_leased_delays_no_others_and_its_run_ends(objects, batch, timing, how):
    """Without its lease a row is ready all the time."""
    objects.add(10, store=1)
    objects.hold("OLD.file IN ('file 5', 'file 10')", how, timing)
    daemon = objects.delete(**{"jobs.ci.delete_objects.batch": batch})
    assert sorted(objects.left()) == ["file 10", "file 5"]
    assert {(run["state"], run["attempts"]) for run in objects.runs()} == {("finished", 0)}
    assert sum(run["result"]["updated_rows"] for run in objects.runs()) == 8
    for entry in objects.quarantine():
        assert entry["attempts"] <= len(objects.runs()) and "trigger" in entry["reason"], entry
    assert {entry["file"] for entry in objects.quarantine()} == {"file 5", "file 10"}
    assert daemon.lines("Object cannot be deleted", level="error")
    # the object of a row that is not leased is not touched
    if timing == "BEFORE" and "NULL" in how:
        assert sorted(path.name for path in objects.root.iterdir()) == ["file 10", "file 5"]
    # Once the trigger is gone they go.
    objects.database.execute("DROP TRIGGER hold ON ci_deleted_objects")
    objects.pruned.run("quarantine", "retry", SLOT, "--all").ok()
    objects.delete()
    assert objects.left() == [] and objects.quarantine() == [] and list(objects.root.iterdir()) == []


def test_when_no_row_can_be_leased_it_is_the_run_that_fails(objects):
    objects.add(100, store=1)
    objects.hold("true", *reversed(SWALLOWS))
    objects.delete()
    [run] = objects.runs()
    assert (run["state"], run["attempts"]) == ("waiting", 1) and "ci_deleted_objects.pick_up_at: 100 rows were not leased" in run["error"]
    assert len(objects.left()) == 100 and objects.quarantine() == [] and len(list(objects.root.iterdir())) == 100


@pytest.mark.check_all
def test_when_very_many_leases_are_set_back_it_is_the_run_that_fails(objects):
    """A run passes over a thousand rows, and no more."""
    objects.add(1200, store=1)
    # One slot begins, for the first ninety; then all are ready.
    objects.database.connection.execute(
        "UPDATE ci_deleted_objects SET pick_up_at = now() + interval '1 day' WHERE id > (SELECT min(id) + 89 FROM ci_deleted_objects);"
        "CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS "
        "$$ BEGIN UPDATE ci_deleted_objects SET pick_up_at = now() - interval '1 hour' WHERE pick_up_at > now(); RETURN NULL; END $$;"
        f"CREATE TRIGGER more AFTER INSERT ON pruned.runs FOR EACH ROW WHEN (NEW.job = '{SLOT}') EXECUTE FUNCTION more()")
    objects.hold("OLD.pick_up_at < now()", *reversed(SETS_BACK))
    objects.delete(**{"jobs.ci.delete_objects.batch": 550})
    [run] = objects.runs()
    assert (run["state"], run["attempts"], len(run["cursor"]["kept"])) == ("waiting", 1, 1100), run
    assert "ci_deleted_objects.pick_up_at: 1100 rows were not leased" in run["error"]
    assert len(objects.left()) == 1200
