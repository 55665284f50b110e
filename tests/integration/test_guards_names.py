"""The name of a file says what it does to its table, and so what the audit says and what `restore`
can put back. What a function or a part of its statement does beside that is counted, too."""

import pytest

from support.own_job import HIDDEN, NOTES, OWN, assert_blocked, blocks, counts, goes_well, hide, own, tick, without_notes  # noqa: F401
from support.places import ROLE
from support.scene import result

UPDATE = ("UPDATE scratch s SET note = 'u' FROM unnest(:key::bigint[]) AS k (id) WHERE s.id = k.id AND s.note IS DISTINCT FROM 'u'"
          " RETURNING s.id AS key, to_jsonb(s) AS row")
UPDATE_NOTES = ("UPDATE scratch_notes n SET scratch_id = NULL FROM unnest(:key::bigint[]) AS k (id) WHERE n.scratch_id = k.id AND n.id >= 10"
                " RETURNING n.id AS key, to_jsonb(n) AS row")
MOVE = ("UPDATE scratch s SET day = '2027-01-01' FROM unnest(:key::bigint[]) AS k (id) WHERE s.id = k.id AND s.day < '2027-01-01'"
        " RETURNING s.id AS key, to_jsonb(s) AS row")
THEN = "\n-- then:\ngone AS (DELETE FROM {})"
LOG = "INSERT INTO scratch_notes AS n SELECT 90000 + k, k FROM unnest(:key::bigint[]) AS k {} RETURNING n.id AS key, to_jsonb(n) AS row"


def part(text):
    return f"WITH part AS ({text}) SELECT key, row FROM part"


def watch(scene, table, event, body):
    """A trigger of the application behind EVENT on TABLE."""
    scene.database.connection.execute(f"""
        CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN NULL; END $$;
        CREATE TRIGGER watch AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION watch()""")


def test_a_file_that_updates_deletes_no_rows_of_its_table(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch.update": HIDDEN}))
    hide(scene, "DELETE FROM scratch WHERE id = ANY (asked)")
    blocks(scene, "10-scratch.update.sql", "deletes 100 rows of scratch, and it is named .update")
    watch(scene, "scratch", "UPDATE", "PERFORM 1")
    blocks(scene, "10-scratch.update.sql", "deletes 100 rows of scratch, and it is named .update")


def test_nor_does_it_beside_its_updates(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes.update": UPDATE_NOTES + THEN.format("scratch_notes WHERE id < 10"), "apply/removed/20-scratch": OWN})
    blocks(scene, "10-scratch_notes.update.sql", "deletes 8 rows of scratch_notes, and it is named .update")
    assert counts(scene, "scratch_notes") == 2000


def test_a_file_that_inserts_deletes_no_rows_of_its_table(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes.insert": part(NOTES), "apply/removed/20-scratch": OWN})
    blocks(scene, "10-scratch_notes.insert.sql", "deletes 200 rows of scratch_notes, and it is named .insert")
    watch(scene, "scratch_notes", "DELETE OR INSERT", "PERFORM 1")
    blocks(scene, "10-scratch_notes.insert.sql", "deletes 200 rows of scratch_notes, and it is named .insert")
    assert counts(scene, "scratch_notes") == 2000


@pytest.mark.check_all
def test_the_own_rows_do_not_go_by_a_file_that_inserts(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch.insert": part(OWN)}))
    blocks(scene, "10-scratch.insert.sql", "deletes 100 rows of scratch, and it is named .insert")


@pytest.mark.check_all
def test_a_file_that_inserts_updates_no_rows_of_its_table(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch.insert": part(UPDATE)}))
    blocks(scene, "10-scratch.insert.sql", "updates 100 rows of scratch, and it is named .insert")


def test_a_later_file_that_inserts_is_watched_too(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN,
                 "apply/removed/30-scratch_log.insert": part("DELETE FROM scratch_log l WHERE cardinality(:key::bigint[]) > 0"
                                                             " RETURNING l.id AS key, to_jsonb(l) AS row")})
    scene.database.connection.execute(f"INSERT INTO scratch_log SELECT generate_series(1, 30); GRANT DELETE ON scratch_log TO {ROLE}")
    blocks(scene, "30-scratch_log.insert.sql", "deletes 30 rows of scratch_log, and it is named .insert")
    assert (counts(scene, "scratch_notes"), counts(scene, "scratch_log")) == (2000, 30)


# --- what stays allowed

def test_an_insert_may_update_the_row_that_is_there(own):  # noqa: F811
    upsert = LOG.replace("90000 + k", "90000 + k % 10").format("WHERE k % 10 = 1 AND k < 12 ON CONFLICT (id) DO UPDATE SET scratch_id = NULL")
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN,
                 "apply/removed/30-scratch_notes.insert": upsert.replace("90000 + k % 10, k", "90000 + k, NULL")})
    scene.database.connection.execute("INSERT INTO scratch_notes VALUES (90001)")
    assert goes_well(scene)["removed"] == 1000
    assert scene.database.column("SELECT id FROM scratch_notes ORDER BY 1") == [90001, 90011]


@pytest.mark.check_all
def test_rows_that_a_trigger_of_the_application_takes_on_insert_are_told(own):  # noqa: F811
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN,
                 "apply/removed/30-scratch_log.insert": "INSERT INTO scratch_log (id) SELECT k FROM unnest(:key::bigint[]) AS k RETURNING id AS key"})
    watch(scene, "scratch_log", "INSERT", "DELETE FROM scratch_log WHERE id < NEW.id; UPDATE scratch_log SET slot = 1 WHERE id = NEW.id")
    scene.database.connection.execute(f"GRANT UPDATE, DELETE ON scratch_log TO {ROLE}")
    run_id = tick(scene)
    said = scene.run_until_idle()
    assert result(scene.run_row(run_id))["removed"] == 1000 and scene.database.column("SELECT id FROM scratch_log") == [1000]
    assert any("A trigger may have deleted rows" == line["message"][:31] and line["table"] == "scratch_log" for line in said.lines())


def test_rows_that_move_to_another_partition_are_not_deleted(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch.update": MOVE}))
    partition(scene)
    assert goes_well(scene, left=1000)["removed"] == 1000


def test_a_row_that_goes_while_others_move_is_seen(own):  # noqa: F811
    scene = without_notes(own({"apply/removed/10-scratch.update": MOVE + THEN.format("scratch WHERE id = 1000")}))
    partition(scene)
    blocks(scene, "10-scratch.update.sql", "deletes 1 row of scratch, and it is named .update")


def partition(scene):
    scene.database.connection.execute(f"""
        ALTER TABLE scratch RENAME TO flat;
        CREATE TABLE scratch (id bigint, day date NOT NULL, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
        CREATE TABLE scratch_old PARTITION OF scratch FOR VALUES FROM (MINVALUE) TO ('2027-01-01');
        CREATE TABLE scratch_new PARTITION OF scratch DEFAULT;
        INSERT INTO scratch SELECT * FROM flat;
        GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}""")
