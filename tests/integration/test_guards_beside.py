"""What a file does to rows of the job's own table that it does not return is a mistake, whatever
its name: nobody has decided about these rows, and no audit has them."""

import pytest

from support.own_job import JOB, NOTES, OWN, PAGE, REMOVED, assert_blocked, counts, goes_well, nothing_happened, own, tick, without_notes  # noqa: F401
from support.places import ROLE
from support.scene import result

UPDATE = """WITH was AS MATERIALIZED (SELECT s.* FROM scratch s WHERE s.id = ANY (:key::bigint[]) FOR UPDATE)
    UPDATE scratch s SET note = 'x' FROM was WHERE s.id = was.id RETURNING s.id AS key, to_jsonb(was) AS row"""
THEN_UPDATE = "\n-- then:\nmore AS (UPDATE scratch SET note = 'odd' WHERE id > 500)"
THEN_INSERT = "\n-- then:\nmore AS (INSERT INTO scratch (id, note) SELECT id + 5000, 'odd' FROM scratch WHERE id > 500)"
LOG = "INSERT INTO scratch_log (id) SELECT k FROM unnest(:key::bigint[]) k"
LOG_AND_UPDATE = "WITH more AS (UPDATE scratch SET note = 'odd' WHERE id > 500) " + LOG
FEW = PAGE.replace("WHERE", "WHERE s.id <= 100 AND")


def odd(scene):
    return scene.database.value("SELECT count(*) FROM scratch WHERE note = 'odd'")


@pytest.mark.check_all
@pytest.mark.parametrize("files, where, does", [
    ({"apply/removed/10-scratch": OWN + THEN_UPDATE}, "10-scratch.sql", "updates 500 rows"),
    ({"apply/removed/05-scratch_notes": NOTES + THEN_UPDATE, "apply/removed/10-scratch": OWN}, "05-scratch_notes.sql", "updates 500 rows"),
    ({"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_log.insert": LOG_AND_UPDATE}, "20-scratch_log.insert.sql", "updates 500 rows"),
    ({"apply/removed/10-scratch.update": UPDATE, "apply/removed/20-scratch_log.insert": LOG_AND_UPDATE}, "20-scratch_log.insert.sql", "updates 500 rows"),
    ({"apply/removed/10-scratch": OWN + THEN_INSERT}, "10-scratch.sql", "inserts 500 rows"),
    ({"apply/removed/10-scratch.update": UPDATE + THEN_INSERT}, "10-scratch.update.sql", "inserts 500 rows"),
])
def test_rows_of_the_own_table_that_change_beside_block_the_run(own, files, where, does):  # noqa: F811
    scene = own(files | {"page": FEW})
    if "apply/removed/05-scratch_notes" not in files:
        without_notes(scene)
    done = scene.run("check", JOB, "--apply", 5)
    assert done.code == 2 and does in done.stdout + done.stderr, done
    run_id = tick(scene)
    scene.run_until_idle()
    assert_blocked(scene, run_id, where, f"{does} of scratch, and its name does not say so")
    assert (counts(scene), odd(scene)) == (1000, 0)


# --- what is no mistake of the file

def behind(scene, table, body):
    """A trigger of the application behind the deletion of rows of TABLE."""
    scene.database.connection.execute(f"""
        CREATE FUNCTION behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {body}; RETURN NULL; END $$;
        CREATE TRIGGER behind AFTER DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION behind()""")


CHILD_FIRST = {"apply/removed/05-scratch_notes": NOTES, "apply/removed/10-scratch": OWN}


def test_a_trigger_on_a_child_may_count_in_the_own_table(own):  # noqa: F811
    scene = own(CHILD_FIRST)
    behind(scene, "scratch_notes", "UPDATE scratch SET note = 'fewer' WHERE id = OLD.scratch_id")
    assert goes_well(scene)["removed"] == 1000


def test_a_trigger_behind_a_cascade_may_change_the_own_table(own):  # noqa: F811
    scene = own(CHILD_FIRST)
    scene.database.connection.execute(f"""
        CREATE TABLE remarks (id bigint PRIMARY KEY, note bigint REFERENCES scratch_notes (id) ON DELETE CASCADE);
        INSERT INTO remarks SELECT id, id FROM scratch_notes; CREATE INDEX ON remarks (note); GRANT SELECT, DELETE ON remarks TO {ROLE}""")
    behind(scene, "remarks", "UPDATE scratch SET note = 'fewer' WHERE id = OLD.note / 2")
    assert goes_well(scene)["removed"] == 1000


def test_a_foreign_key_may_empty_columns_of_the_own_table(own):  # noqa: F811
    scene = without_notes(own({"page": FEW, "apply/removed/10-scratch": OWN}))
    scene.database.connection.execute("ALTER TABLE scratch ADD above bigint REFERENCES scratch (id) ON DELETE SET NULL;"
                                      "CREATE INDEX ON scratch (above); UPDATE scratch SET above = id - 500 WHERE id > 500")
    assert goes_well(scene, left=900)["removed"] == 100
    assert scene.database.value("SELECT count(*) FROM scratch WHERE above IS NULL AND id > 500") == 100


def test_a_file_that_says_so_may_insert_into_the_own_table(own):  # noqa: F811
    copy = "INSERT INTO scratch (id, note) SELECT k + 5000, 'copy' FROM unnest(:key::bigint[]) k"
    scene = without_notes(own({"page": FEW, "apply/removed/10-scratch": OWN, "apply/removed/20-scratch.insert": copy}))
    assert goes_well(scene, left=1000)["removed"] == 100


def test_a_doubt_about_rows_beside_hides_no_other(own):  # noqa: F811
    """The trigger on the child excuses updates. It excuses no deletion by the own file."""
    scene = own({"page": FEW, "apply/removed/05-scratch_notes": NOTES, "apply/removed/10-scratch": OWN + "\n-- then:\n"
                 "more AS (DELETE FROM scratch s WHERE s.id = 900 AND EXISTS (SELECT FROM applied))"})
    scene.database.connection.execute("DELETE FROM scratch_notes WHERE scratch_id = 900")
    behind(scene, "scratch_notes", "UPDATE scratch SET note = 'fewer' WHERE id = OLD.scratch_id")
    run_id = tick(scene)
    scene.run_until_idle()
    assert_blocked(scene, run_id, "10-scratch.sql", "deletes 101 rows of scratch and returns 100")
    assert result(scene.run_row(run_id))["removed"] == 0 and counts(scene) == 1000
    nothing_happened(scene)
