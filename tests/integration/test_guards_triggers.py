"""What triggers and cascades of the application do behind a job's statement is told, and is not
taken for a mistake of the job."""

import pytest

from support.own_job import ALL, HIDDEN, JOB, OWN, PAGE, blocks, counts, goes_well, hide, own, tick, without_notes  # noqa: F401
from support.scene import refuse_rows, result


def trigger(scene, body, when="AFTER DELETE", table="scratch", deferred=False):
    kind = "CONSTRAINT TRIGGER" if deferred else "TRIGGER"
    scene.database.connection.execute(f"""
        CREATE FUNCTION behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {body}; RETURN NULL; END $$;
        CREATE {kind} behind {when} ON {table} {'DEFERRABLE INITIALLY DEFERRED' if deferred else ''}
        FOR EACH ROW EXECUTE FUNCTION behind()""")


def test_a_trigger_that_deletes_rows_of_another_table_is_the_applications_own_affair(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch": OWN})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    trigger(scene, "DELETE FROM scratch_notes WHERE scratch_id = OLD.id")
    assert goes_well(scene)["removed"] == 1000
    assert counts(scene, "scratch_notes") == 0


def test_a_cascade_to_another_table_is_no_mistake(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch": OWN})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey,"
                                      " ADD FOREIGN KEY (scratch_id) REFERENCES scratch (id) ON DELETE CASCADE")
    assert goes_well(scene)["removed"] == 1000
    assert counts(scene, "scratch_notes") == 0


@pytest.mark.check_first(1)
@pytest.mark.parametrize("deferred", [False, True])
def test_a_trigger_that_deletes_more_rows_of_the_own_table_is_told(own, deferred):  # noqa: F811
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.id <= 500 AND"), "apply/removed/10-scratch": OWN}))
    trigger(scene, "DELETE FROM scratch WHERE id = OLD.id + 900", deferred=deferred)
    run_id = tick(scene)
    daemon = scene.run_until_idle()
    assert (result(scene.run_row(run_id))["removed"], counts(scene)) == (500, 400)
    line = daemon.lines("A trigger may have deleted rows that are not in the audit", level="warning", job=JOB)[0]
    assert line["table"] == "scratch" and "deletes 200 rows of scratch" in line["error"]


def test_a_trigger_excuses_no_key_that_was_not_decided(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": ALL}))
    trigger(scene, "PERFORM 1")
    blocks(scene, "1000 rows of scratch for 100 keys")


def test_a_cascade_within_the_own_table_blocks_the_run(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    scene.database.connection.execute("ALTER TABLE scratch ADD COLUMN above bigint REFERENCES scratch (id) ON DELETE CASCADE;"
                                      " UPDATE scratch SET above = id - 900 WHERE id > 900")
    blocks(scene, "10-scratch.sql", "deletes 200 rows of scratch")


def test_a_trigger_that_touches_other_rows_of_the_own_table_is_no_mistake(own):  # noqa: F811
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.note <> 'x' AND"), "apply/removed/10-scratch.update":
                               "WITH was AS MATERIALIZED (SELECT s.* FROM scratch s WHERE s.id = ANY (:key::bigint[]) FOR UPDATE)"
                               " UPDATE scratch s SET note = 'x' FROM was WHERE s.id = was.id RETURNING s.id AS key, to_jsonb(was) AS row"}))
    trigger(scene, "UPDATE scratch SET day = day + 1 WHERE id IN (OLD.id, 1000 - OLD.id) AND pg_trigger_depth() = 1", when="AFTER UPDATE")
    assert goes_well(scene, left=1000)["removed"] == 1000


@pytest.mark.check_first(1)
@pytest.mark.parametrize("condition, kept", [("true", 1000), ("OLD.id % 100 = 5", 10)])
def test_a_trigger_that_marks_a_row_instead_of_deleting_it_changes_nothing_unrecorded(own, condition, kept):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    refuse_rows(scene.database, condition, how="UPDATE scratch SET note = 'deleted' WHERE id = OLD.id; RETURN NULL")
    run_id = tick(scene)
    daemon = scene.run_until_idle()
    done = result(scene.run_row(run_id))
    assert (done["failed"], done.get("removed", 0), counts(scene)) == (kept, 1000 - kept, kept)
    assert scene.database.value("SELECT count(*) FROM scratch WHERE note = 'deleted'") == 0
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == kept
    lines = daemon.lines("A trigger may change rows that it keeps from being deleted; they stay as they are", level="warning", job=JOB)
    assert {line["table"] for line in lines} == {"scratch"} and sum(line["rows"] for line in lines) == kept


def test_a_trigger_that_keeps_a_row_and_one_that_updates_neighbours_agree(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    trigger(scene, "UPDATE scratch SET note = 'next' WHERE id = OLD.id + 1")
    run_id = tick(scene)
    scene.run_until_idle()
    assert (result(scene.run_row(run_id))["failed"], result(scene.run_row(run_id))["removed"]) == (1, 999)
    assert scene.database.row("SELECT id, note FROM scratch") == {"id": 5, "note": "next"}


def test_a_delete_that_updates_its_neighbours_is_no_mistake(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    trigger(scene, "UPDATE scratch SET note = 'next' WHERE id = OLD.id + 1")
    assert goes_well(scene)["removed"] == 1000


def test_a_delete_that_hides_rows_behind_a_trigger_is_told(own):  # noqa: F811
    """What a trigger deletes cannot be told from what the file does: the line says how many rows
    are in no audit."""
    scene = without_notes(own({"apply/removed/10-scratch": HIDDEN, "page": PAGE.replace("WHERE", "WHERE s.id <= 100 AND")}))
    hide(scene, "DELETE FROM scratch WHERE id < 700")
    trigger(scene, "PERFORM 1")
    run_id = tick(scene)
    daemon = scene.run_until_idle()
    assert (result(scene.run_row(run_id))["removed"], counts(scene)) == (100, 301)
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions") == 100
    line, = daemon.lines("A trigger may have deleted rows that are not in the audit", level="warning", job=JOB)
    assert line["table"] == "scratch" and "deletes 699 rows of scratch" in line["error"] and "returns 100" in line["error"]


@pytest.mark.check_first(1)
@pytest.mark.parametrize("how", ["TRUNCATE scratch_notes", "EXECUTE 'TRUNC' || 'ATE scratch_notes'",
                                 "DELETE FROM scratch_log; TRUNCATE scratch_notes; INSERT INTO scratch_notes VALUES (1)"])
def test_a_trigger_that_empties_a_table_by_truncate_blocks(own, how):  # noqa: F811
    """No count says how many rows went."""
    scene = own({"apply/removed/10-scratch": OWN})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey; ANALYZE scratch_notes")
    trigger(scene, how)
    blocks(scene, "10-scratch.sql", "empties scratch_notes by TRUNCATE", "let it DELETE")
    assert counts(scene, "scratch_notes") == 2000


def test_a_table_that_was_emptied_before_is_no_mistake(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch": OWN})
    scene.database.connection.execute("TRUNCATE scratch_notes; TRUNCATE scratch_log")
    trigger(scene, "INSERT INTO scratch_log (id) VALUES (OLD.id) ON CONFLICT DO NOTHING")
    assert goes_well(scene)["removed"] == 1000
