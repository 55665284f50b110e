"""The engine does not trust a job: what its files return and change is checked, and a step that is wrong is rolled back and blocks its run."""

import pytest

from stack.process import wait_until
from support.places import ROLE
from support.scene import JOBS, fill, now, refuse_rows, result, tick_id

JOB = "own"
CONF = """
[job]
starts = tick; event
capacity = 1
table = scratch
unique_key = own
arguments = cursor
batch = {batch}
{more}
"""
REMOVED = "[what removed]\ncounts_as_updated = true\n"
PAGE = "SELECT s.id AS key, s.id FROM scratch s WHERE s.id > :cursor.id::bigint ORDER BY s.id LIMIT :limit::int"
DECIDE = "SELECT k AS key, 'removed' AS what, NULL::text AS reason FROM unnest(:key::bigint[]) k"
OWN = "DELETE FROM scratch s USING unnest(:key::bigint[]) AS k (id) WHERE s.id = k.id RETURNING s.id AS key, to_jsonb(s) AS row"
ALL = "DELETE FROM scratch s WHERE cardinality(:key::bigint[]) > 0 RETURNING s.id AS key, to_jsonb(s) AS row"
NOTES = "DELETE FROM scratch_notes n USING unnest(:key::bigint[]) AS k (id) WHERE n.scratch_id = k.id RETURNING n.id AS key, to_jsonb(n) AS row"


def write(folder, files, conf=REMOVED, batch=100, more=""):
    """A jobs_dir with the jobs of the tests and the job `own` of FILES."""
    folder.mkdir(exist_ok=True)
    for there in JOBS.iterdir():
        if not (folder / there.name).exists():
            (folder / there.name).symlink_to(there)
    for file, text in ({"page": PAGE} | files).items():
        path = folder / JOB / f"{file}.sql"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("-- A file of the tests.\n" + text)
    (folder / JOB / "job.conf").write_text(CONF.format(batch=batch, more=more or "cursor = id bigint") + conf)
    return folder


@pytest.fixture
def own(new_scene, tmp_path):
    """Makes a scene with the job `own` of these files; it has ROWS rows, each with two notes."""
    def make(files, rows=1000, settings=None, **job):
        folder = write(tmp_path / "jobs", files, **job)
        scene = new_scene({"run.jobs_dir": folder, "jobs.own.approve": "never"} | (settings or {}))
        fill(scene.database, rows)
        scene.database.connection.execute(f"""
            CREATE TABLE scratch_notes (id bigint PRIMARY KEY, scratch_id bigint REFERENCES scratch (id));
            INSERT INTO scratch_notes SELECT 2 * id + i, id FROM scratch, generate_series(0, 1) AS i;
            CREATE INDEX ON scratch_notes (scratch_id);
            GRANT SELECT, INSERT, UPDATE, DELETE ON scratch_notes, scratch TO {ROLE}""")
        return scene
    return make


def without_notes(scene):
    scene.database.connection.execute("DROP TABLE scratch_notes")
    return scene


def counts(scene, table="scratch"):
    return scene.database.value(f"SELECT count(*) FROM {table}")


def tick(scene):
    scene.topics.tick(JOB, at := now(minutes=-1))
    return tick_id(JOB, at)


def nothing_happened(scene):
    assert scene.database.value("SELECT count(*) FROM pruned.deletions") == 0
    assert scene.database.value("SELECT count(*) FROM pruned.quarantine") == 0


def assert_blocked(scene, run_id, *words):
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], row["attempts"]) == ("finished", "blocked", 0), row
    reason = result(row)["reason"]
    assert reason.startswith("guard: ") and all(word in reason for word in words), reason
    assert result(row).get("removed", 0) == 0 and result(row).get("failed", 0) == 0 and result(row).get("updated_rows", 0) == 0
    nothing_happened(scene)


def blocks(scene, *words, rows=1000):
    run_id = tick(scene)
    scene.run_until_idle()
    assert_blocked(scene, run_id, *words)
    assert counts(scene) == rows


# --- the mistakes of those who tried

def test_a_delete_without_its_join_removes_nothing(own):
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, rows=20_000))
    blocks(scene, "apply/removed/10-scratch.sql", "20000 rows of scratch", "100 keys", rows=20_000)
    [found] = [f for f in scene.run("doctor", "--json").json() if f["check"] == "blocked jobs"]
    assert not found["ok"] and "10-scratch.sql" in found["detail"]
    assert scene.run("status", "--json").ok().json()[0]["blocked"] == [JOB]
    assert [r["run_id"] for r in scene.run("runs", "--state", "blocked", "--json").ok().json()]


def hide(scene, body):
    """A function that does more than it returns: of the rows that BODY changes, those whose key was asked for."""
    scene.database.connection.execute(f"""
        CREATE FUNCTION hide(asked bigint[]) RETURNS TABLE (key bigint, "row" jsonb) LANGUAGE sql AS $$
          WITH changed AS ({body} RETURNING *) SELECT id, to_jsonb(changed) FROM changed WHERE id = ANY (asked) $$""")


HIDDEN = "SELECT h.key, h.row FROM hide(:key::bigint[]) AS h"


def test_a_delete_that_hides_what_it_removes_removes_nothing(own):
    scene = without_notes(own({"apply/removed/10-scratch": HIDDEN}, rows=20_000))
    hide(scene, "DELETE FROM scratch")
    blocks(scene, "apply/removed/10-scratch.sql", "deletes 20000 rows of scratch", "returns 100", rows=20_000)


def test_a_second_statement_that_removes_more_removes_nothing(own):
    more = OWN + "\n-- then:\nmore AS (DELETE FROM scratch s WHERE s.id > 900 AND EXISTS (SELECT FROM applied))"
    scene = without_notes(own({"apply/removed/10-scratch": more}))
    blocks(scene, "apply/removed/10-scratch.sql", "deletes 200 rows of scratch", "returns 100")


def test_an_update_that_hides_what_it_changes_changes_nothing(own):
    scene = without_notes(own({"apply/removed/10-scratch.update": HIDDEN}))
    hide(scene, "UPDATE scratch SET note = 'x'")
    blocks(scene, "10-scratch.update.sql", "returns 100", "updates 1000")
    assert scene.database.value("SELECT count(*) FROM scratch WHERE note = 'x'") == 0


def test_a_word_without_a_group_removes_and_reports_nothing(own):
    scene = own({"decide": DECIDE, "apply/removed/10-scratch": OWN}, conf="")
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], row["attempts"]) == ("finished", "blocked", 0), row
    assert result(row)["reason"].startswith("refused: ") and "removed" in result(row)["reason"], row
    nothing_happened(scene)
    assert counts(scene) == 1000


def test_a_word_beside_the_groups_is_not_counted(own):
    scene = own({"decide": DECIDE.replace("'removed'", "'remved'"), "apply/removed/10-scratch": OWN})
    blocks(scene, "decide.sql", "'remved'")


def test_children_go_before_the_jobs_own_rows(own):
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row) == {"status": "completed", "updated_rows": 1000, "removed": 1000}
    assert counts(scene) == counts(scene, "scratch_notes") == 0
    audited = scene.database.rows("SELECT table_name, sum(jsonb_array_length(keys))::int AS n FROM pruned.deletions GROUP BY 1 ORDER BY 1")
    assert {a["table_name"]: a["n"] for a in audited} == {"scratch_notes": 2000, "scratch": 1000}
    scene.run("restore", run_id).ok()
    assert (counts(scene), counts(scene, "scratch_notes")) == (1000, 2000)


def test_children_first_without_the_own_table_is_no_failure_of_the_rows(own):
    """The file on the job's own table is forgotten: the children would have gone, and their rows would be `failed`."""
    scene = own({"apply/removed/10-scratch_notes": NOTES})
    blocks(scene, "apply/removed/10-scratch_notes.sql", "200 rows of scratch_notes for 100 keys")
    assert counts(scene, "scratch_notes") == 2000


# --- what apply returns and changes

WRONG = {
    "another key": ({"apply/removed/10-scratch": OWN.replace("s.id = k.id", "s.id = k.id + 1")},
                    ["apply/removed/10-scratch.sql", "the key 101", "not decided"]),
    "a key twice": ({"apply/removed/10-scratch": OWN.replace("s.id = k.id", "s.id = k.id AND s.id % 2 = 0").replace(
        "s.id AS key", "s.id / 100 * 100 + 2 AS key")}, ["10-scratch.sql", "the key 2 twice"]),
    "another table": ({"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_log": NOTES.replace("n.scratch_id = k.id", "n.id = k.id")},
                      ["20-scratch_log.sql", "scratch_log", "another table"]),
    "the own table's name on another": ({"apply/removed/10-scratch": NOTES.replace("n.scratch_id = k.id", "n.id = k.id")},
                                        ["10-scratch.sql", "another table"]),
    "no such table": ({"apply/removed/10-scratch": OWN, "apply/removed/20-nothing": NOTES.replace("n.scratch_id = k.id", "n.id = k.id")},
                      ["20-nothing.sql", "no table nothing"]),
    "an update that is named as a delete": (
        {"apply/removed/10-scratch": "UPDATE scratch s SET note = 'gone' WHERE s.id = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s) AS row"},
        ["10-scratch.sql", "deletes 0"]),
    "own rows by another file": (
        {"apply/removed/10-scratch": OWN,
         "apply/removed/20-scratch_notes": NOTES + "\n-- then:\nmore AS (DELETE FROM scratch WHERE id > 990)"},
        ["20-scratch_notes.sql", "deletes 110 rows of scratch", "100 were returned"]),
    "own rows by an insert": (
        {"apply/removed/10-scratch": OWN,
         "apply/removed/20-scratch_log.insert": "WITH more AS (DELETE FROM scratch WHERE id > 990)"
         " INSERT INTO scratch_log (id) SELECT k FROM unnest(:key::bigint[]) k"},
        ["20-scratch_log.insert.sql", "deletes 110 rows of scratch"]),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_an_apply_file_that_does_something_else_changes_nothing(own, mistake):
    files, words = WRONG[mistake]
    scene = own(files)
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    blocks(scene, *words)
    assert counts(scene, "scratch_notes") == 2000


# --- what decide and page return

DECISIONS = {
    "a key outside the page": (DECIDE + " UNION ALL SELECT 500, 'removed', NULL", ["the key 500", "not of its page"]),
    "a key twice": (DECIDE + " UNION ALL SELECT 7, 'removed', NULL", ["the key 7 twice"]),
    "a key left out": (DECIDE + " WHERE k <> 7", ["leaves out the key 7"]),
}


@pytest.mark.parametrize("mistake", DECISIONS)
def test_a_decision_about_other_keys_than_the_pages_changes_nothing(own, mistake):
    decide, words = DECISIONS[mistake]
    scene = without_notes(own({"decide": decide, "apply/removed/10-scratch": OWN}))
    blocks(scene, "decide.sql", *words)
    plan = scene.run("plan", JOB)
    assert plan.code != 0 and all(word in plan.stderr for word in words), plan


KEPT = DECIDE.replace("'removed'", "'kept'")
FALLING = ("SELECT s.id AS key, s.id, s.day FROM scratch s WHERE s.id < CASE WHEN :cursor.id::bigint < 0 THEN 2000"
           " ELSE :cursor.id::bigint END ORDER BY s.id DESC LIMIT :limit::int")
PAGES = {
    "stands still": ("", PAGE.replace("s.id > :cursor.id::bigint", "s.id > least(:cursor.id::bigint, 0)"), ["id 100", "stands still"]),
    "never moves": ("", "SELECT s.id AS key, 0 AS id FROM scratch s WHERE :cursor.id::bigint <= 0 ORDER BY s.id LIMIT :limit::int",
                    ["id 0", "stands still"]),
    "is that of several rows": ("cursor = day date", "SELECT s.id AS key, s.day FROM scratch s WHERE s.day > :cursor.day::date"
                                " ORDER BY s.day, s.id LIMIT :limit::int", ["day 2026-01-11", "stands still"]),
    "goes back": ("", FALLING, ["id 901", "id 900", "goes back"]),
    "goes back a day": ("cursor = day date; id bigint", FALLING, ["goes back"]),
    "a key twice": ("", PAGE.replace("FROM scratch s", "FROM scratch s, generate_series(1, 2)"), ["the key 1 twice"]),
}


@pytest.mark.parametrize("mistake", PAGES)
def test_a_page_that_does_not_go_on_ends_the_run(own, mistake):
    cursor, page, words = PAGES[mistake]
    scene = without_notes(own({"page": page, "decide": KEPT, "apply/removed/10-scratch": OWN}, conf=REMOVED + "[what kept]\n", more=cursor))
    scene.database.execute("UPDATE scratch SET day = day + id::int / 10")
    blocks(scene, "page.sql", *words)
    plan = scene.run("plan", JOB)
    assert plan.code != 0 and words[-1] in plan.stderr, plan


# --- NULL in the cursor

KEEPING = {"decide": KEPT, "apply/removed/10-scratch": OWN}
LAST = """SELECT s.id AS key, s.{column}, s.id FROM scratch s
    WHERE CASE WHEN :cursor.id::bigint < 0 THEN true
               WHEN :cursor.{column}::{type} IS NULL THEN s.{column} IS NULL AND s.id > :cursor.id::bigint
               ELSE s.{column} IS NULL OR (s.{column}, s.id) > (:cursor.{column}::{type}, :cursor.id::bigint) END
    ORDER BY s.{column} NULLS LAST, s.id LIMIT :limit::int"""


def with_nulls(own, page, cursor):
    scene = without_notes(own({"page": page} | KEEPING, conf=REMOVED + "[what kept]\n", more=f"cursor = {cursor}"))
    scene.database.connection.execute("""ALTER TABLE scratch ALTER day DROP NOT NULL, ADD word text;
        UPDATE scratch SET day = CASE WHEN id % 2 = 0 THEN day END, word = CASE WHEN id > 500 THEN 'null' END""")
    return scene


@pytest.mark.parametrize("cursor, page", [
    ("day date; id bigint", LAST.format(column="day", type="date").replace("THEN true", "THEN s.day >= :cursor.day::date OR s.day IS NULL")),
    ("day date null", "SELECT s.id AS key, s.day FROM scratch s WHERE s.day IS NULL OR :cursor.day::date IS NULL"
                      " ORDER BY s.day NULLS FIRST, s.id LIMIT :limit::int")])
def test_null_in_the_cursor_that_begins_again_ends_the_run(own, cursor, page):
    blocks(with_nulls(own, page, cursor), "page.sql", "NULL in day")


@pytest.mark.parametrize("column, kind", [("day", "date"), ("word", "text")])
def test_null_in_the_cursor_that_is_said_to_be_there_is_passed(own, column, kind):
    """The word `null` is none: behind (null, 1000) comes (NULL, 1), whose id is smaller."""
    scene = with_nulls(own, LAST.format(column=column, type=kind), f"{column} {kind} null; id bigint")
    assert scene.run("check", JOB).code == 0
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], result(row)["kept"], row["step"]) == ("finished", "completed", 1000, 10), row


def test_a_page_that_stands_still_at_null_ends_the_run(own):
    page = LAST.format(column="day", type="date").replace("s.id > :cursor.id::bigint", "s.id >= 0")
    blocks(with_nulls(own, page, "day date null; id bigint"), "page.sql", "day null")


def test_pages_without_keys_whose_cursor_stands_still_end_the_run(own):
    page = "SELECT NULL::bigint AS key, 5 AS id FROM generate_series(1, :limit::int) WHERE :cursor.id::bigint < 10"
    blocks(without_notes(own({"page": page, "apply/removed/10-scratch": OWN})), "page.sql", "stands still")


def test_a_tick_that_begins_at_a_cursor_is_held_to_it(own):
    scene = without_notes(own({"page": FALLING, "decide": KEPT, "apply/removed/10-scratch": OWN}, conf=REMOVED + "[what kept]\n"))
    scene.topics.tick(JOB, at := now(minutes=-1), {"cursor": {"id": 500}})
    run_id = tick_id(JOB, at, '{"cursor":{"id":500}}')
    scene.run_until_idle()
    assert_blocked(scene, run_id, "page.sql", "id 400", "goes back")


def test_a_tick_that_gives_a_part_of_the_cursor_is_held_to_that_part(own):
    scene = without_notes(own({"page": FALLING, "decide": KEPT, "apply/removed/10-scratch": OWN}, conf=REMOVED + "[what kept]\n",
                              more="cursor = day date; id bigint"))
    scene.topics.tick(JOB, at := now(minutes=-1), {"cursor": {"day": "2030-01-01"}})
    run_id = tick_id(JOB, at, '{"cursor":{"day":"2030-01-01"}}')
    daemon = scene.run_until_idle()
    assert_blocked(scene, run_id, "page.sql", "day 2030-01-01", "id not given", "goes back")
    assert daemon is not None


# --- the children of a row that stays

def test_a_row_that_stays_keeps_its_children_and_the_others_go(own):
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    refuse_rows(scene.database, "OLD.id % 100 = 5", how="RETURN NULL")
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    stay = list(range(5, 1000, 100))
    assert (row["state"], row["attempts"], result(row)["removed"], result(row)["failed"]) == ("finished", 0, 990, 10)
    assert scene.database.column("SELECT id FROM scratch ORDER BY id") == stay
    assert scene.database.column("SELECT DISTINCT scratch_id FROM scratch_notes ORDER BY 1") == stay
    assert counts(scene, "scratch_notes") == 20
    assert scene.database.column("SELECT item FROM pruned.quarantine ORDER BY length(item), item") == [f"scratch:{key}" for key in stay]
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions WHERE table_name = 'scratch_notes'") == 1980


def test_a_row_that_fails_keeps_its_children_too(own):
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    refuse_rows(scene.database, "OLD.id IN (5, 950)")
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["failed"] == 2
    assert scene.database.column("SELECT DISTINCT scratch_id FROM scratch_notes ORDER BY 1") == [5, 950]


def test_files_behind_the_own_table_do_not_see_its_refused_rows(own):
    scene = own({"apply/removed/10-scratch": OWN, "apply/removed/20-scratch_notes": NOTES})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["failed"] == 1
    assert scene.database.column("SELECT scratch_id FROM scratch_notes") == [5, 5]


def test_files_behind_and_before_the_own_table_go_together(own):
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN,
                 "apply/removed/30-scratch_log.insert": "INSERT INTO scratch_log (id) SELECT k FROM unnest(:key::bigint[]) k"})
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["removed"] == 999
    assert counts(scene, "scratch_log") == 999 and scene.database.value("SELECT count(*) FROM scratch_log WHERE id = 5") == 0


def test_all_rows_below_a_row_may_go_before_it(own):
    """Several files on the job's own table: the last one that deletes is about the decided rows."""
    below = "DELETE FROM scratch s WHERE s.id > 500 AND s.id - 500 = ANY (:key::bigint[]) RETURNING s.id AS key, to_jsonb(s) AS row"
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.id <= 500 AND"), "apply/removed/10-scratch": below,
                               "apply/removed/20-scratch": OWN}))
    run_id = tick(scene)
    scene.run_until_idle()
    assert result(scene.run_row(run_id))["removed"] == 500 and counts(scene) == 0


# --- what the application does behind the statement

def trigger(scene, body, when="AFTER DELETE", table="scratch", deferred=False):
    kind = "CONSTRAINT TRIGGER" if deferred else "TRIGGER"
    scene.database.connection.execute(f"""
        CREATE FUNCTION behind() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN {body}; RETURN NULL; END $$;
        CREATE {kind} behind {when} ON {table} {'DEFERRABLE INITIALLY DEFERRED' if deferred else ''}
        FOR EACH ROW EXECUTE FUNCTION behind()""")


def goes_well(scene, left=0):
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], counts(scene)) == ("finished", "completed", left), row
    return result(row)


def test_a_trigger_that_deletes_rows_of_another_table_is_the_applications_own_affair(own):
    scene = own({"apply/removed/10-scratch": OWN})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey")
    trigger(scene, "DELETE FROM scratch_notes WHERE scratch_id = OLD.id")
    assert goes_well(scene)["removed"] == 1000
    assert counts(scene, "scratch_notes") == 0


def test_a_cascade_to_another_table_is_no_mistake(own):
    scene = own({"apply/removed/10-scratch": OWN})
    scene.database.connection.execute("ALTER TABLE scratch_notes DROP CONSTRAINT scratch_notes_scratch_id_fkey,"
                                      " ADD FOREIGN KEY (scratch_id) REFERENCES scratch (id) ON DELETE CASCADE")
    assert goes_well(scene)["removed"] == 1000
    assert counts(scene, "scratch_notes") == 0


@pytest.mark.parametrize("deferred", [False, True])
def test_a_trigger_that_deletes_more_rows_of_the_own_table_is_told(own, deferred):
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.id <= 500 AND"), "apply/removed/10-scratch": OWN}))
    trigger(scene, "DELETE FROM scratch WHERE id = OLD.id + 900", deferred=deferred)
    run_id = tick(scene)
    daemon = scene.run_until_idle()
    assert (result(scene.run_row(run_id))["removed"], counts(scene)) == (500, 400)
    line = daemon.lines("A trigger may have deleted rows that are not in the audit", level="warning", job=JOB)[0]
    assert line["table"] == "scratch" and "deletes 200 rows of scratch" in line["error"]


def test_a_trigger_excuses_no_key_that_was_not_decided(own):
    scene = without_notes(own({"apply/removed/10-scratch": ALL}))
    trigger(scene, "PERFORM 1")
    blocks(scene, "1000 rows of scratch for 100 keys")


def test_a_cascade_within_the_own_table_blocks_the_run(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    scene.database.connection.execute("ALTER TABLE scratch ADD COLUMN above bigint REFERENCES scratch (id) ON DELETE CASCADE;"
                                      " UPDATE scratch SET above = id - 900 WHERE id > 900")
    blocks(scene, "10-scratch.sql", "deletes 200 rows of scratch")


def test_a_trigger_that_touches_other_rows_of_the_own_table_is_no_mistake(own):
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.note <> 'x' AND"), "apply/removed/10-scratch.update":
                               "WITH was AS MATERIALIZED (SELECT s.* FROM scratch s WHERE s.id = ANY (:key::bigint[]) FOR UPDATE)"
                               " UPDATE scratch s SET note = 'x' FROM was WHERE s.id = was.id RETURNING s.id AS key, to_jsonb(was) AS row"}))
    trigger(scene, "UPDATE scratch SET day = day + 1 WHERE id IN (OLD.id, 1000 - OLD.id) AND pg_trigger_depth() = 1", when="AFTER UPDATE")
    assert goes_well(scene, left=1000)["removed"] == 1000


@pytest.mark.parametrize("condition, kept", [("true", 1000), ("OLD.id % 100 = 5", 10)])
def test_a_trigger_that_marks_a_row_instead_of_deleting_it_changes_nothing_unrecorded(own, condition, kept):
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


def test_a_trigger_that_keeps_a_row_and_one_that_updates_neighbours_agree(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    refuse_rows(scene.database, "OLD.id = 5", how="RETURN NULL")
    trigger(scene, "UPDATE scratch SET note = 'next' WHERE id = OLD.id + 1")
    run_id = tick(scene)
    scene.run_until_idle()
    assert (result(scene.run_row(run_id))["failed"], result(scene.run_row(run_id))["removed"]) == (1, 999)
    assert scene.database.row("SELECT id, note FROM scratch") == {"id": 5, "note": "next"}


def test_a_delete_that_updates_its_neighbours_is_no_mistake(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    trigger(scene, "UPDATE scratch SET note = 'next' WHERE id = OLD.id + 1")
    assert goes_well(scene)["removed"] == 1000


# --- other kinds of tables

def partition(scene):
    scene.database.connection.execute(f"""
        ALTER TABLE scratch RENAME TO flat;
        CREATE TABLE scratch (id bigint, day date NOT NULL, note text, PRIMARY KEY (id, day)) PARTITION BY RANGE (id);
        CREATE TABLE scratch_low PARTITION OF scratch FOR VALUES FROM (0) TO (300);
        CREATE TABLE scratch_high PARTITION OF scratch FOR VALUES FROM (300) TO (2000) PARTITION BY RANGE (day);
        CREATE TABLE scratch_high_1 PARTITION OF scratch_high DEFAULT;
        INSERT INTO scratch SELECT * FROM flat;
        GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}""")


def test_rows_of_partitions_are_rows_of_the_table(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    partition(scene)
    assert goes_well(scene)["removed"] == 1000


def test_a_partitioned_table_is_guarded_by_its_partitions(own):
    scene = without_notes(own({"apply/removed/10-scratch": HIDDEN}))
    partition(scene)
    hide(scene, "DELETE FROM scratch")
    blocks(scene, "10-scratch.sql", "deletes 1000 rows of scratch", "returns 100")


def test_a_key_that_names_rows_of_several_partitions_removes_none(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    partition(scene)
    scene.database.connection.execute("INSERT INTO scratch VALUES (350, '2026-02-02', 'the same id')")
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row)["status"] == "blocked" and "the key 350 twice" in result(row)["reason"], row


def test_updates_that_move_rows_to_another_partition_are_updates(own):
    scene = without_notes(own({"page": PAGE.replace("WHERE", "WHERE s.id < 1000 AND"), "apply/removed/10-scratch.update":
                               "WITH was AS MATERIALIZED (SELECT s.* FROM scratch s WHERE s.id = ANY (:key::bigint[]) FOR UPDATE)"
                               " UPDATE scratch s SET id = s.id + 1000 FROM was WHERE s.id = was.id"
                               " RETURNING was.id AS key, to_jsonb(was) AS row"}, rows=999))
    partition(scene)
    scene.database.connection.execute(f"CREATE TABLE scratch_top PARTITION OF scratch FOR VALUES FROM (2000) TO (9000);"
                                      f" GRANT UPDATE ON scratch_top TO {ROLE}")
    assert goes_well(scene, left=999)["removed"] == 999


def test_a_view_is_not_counted_and_so_not_doubted(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    scene.database.connection.execute(f"ALTER TABLE scratch RENAME TO flat; CREATE VIEW scratch AS SELECT * FROM flat;"
                                      f" GRANT SELECT, UPDATE, DELETE ON scratch TO {ROLE}")
    assert goes_well(scene)["removed"] == 1000


def test_without_counts_the_returned_rows_are_still_checked(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}))
    scene.database.connection.execute(f"ALTER ROLE {ROLE} IN DATABASE \"{scene.database.name}\" SET track_counts = off")
    assert goes_well(scene)["removed"] == 1000


# --- the run

def test_a_later_page_keeps_what_the_pages_before_it_removed(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN.replace("RETURNING", "OR s.id > 900 AND k.id = 201 RETURNING")}))
    run_id = tick(scene)
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert (row["state"], result(row)["status"], result(row)["removed"], counts(scene)) == ("finished", "blocked", 200, 800)
    assert scene.database.value("SELECT sum(jsonb_array_length(keys)) FROM pruned.deletions") == 200


def test_two_processes_block_a_run_once(own):
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, rows=20_000))
    daemons = [scene.start() for _ in range(2)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    run_id = tick(scene)
    scene.wait_run(run_id)
    wait_until(lambda: scene.database.value("SELECT count(*) FROM pruned.blocked") == 1, 30, "noted")
    assert_blocked(scene, run_id, "20000 rows of scratch")
    assert counts(scene) == 20_000
    assert sum(len(d.lines("Step failed")) for d in daemons) == 1
    # Each try locks the rows again, so the next one is not soon.
    assert scene.database.value("SELECT next_try_at > now() + interval '50 minutes' FROM pruned.blocked")


def test_two_processes_share_children_first_pages(own):
    scene = own({"apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN}, batch=10)
    refuse_rows(scene.database, "OLD.id % 100 = 5", how="RETURN NULL")
    daemons = [scene.start() for _ in range(2)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    run_id = tick(scene)
    row = scene.wait_run(run_id, deadline_s=60)
    assert (result(row)["removed"], result(row)["failed"], counts(scene), counts(scene, "scratch_notes")) == (990, 10, 10, 20)


BY_EVENT = REMOVED + "[event PlaceholderUserOrphaned]\nkey = placeholder_user_id\nunique_key = own:{placeholder_user_id}\n"


def test_a_run_of_an_event_waits_for_the_job_to_be_mended(own):
    scene = without_notes(own({"apply/removed/10-scratch": ALL}, conf=BY_EVENT, settings={"jobs.scratch.one.enabled": False}))
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 7})
    scene.run_until_idle()
    [row] = scene.database.rows("SELECT * FROM pruned.runs WHERE job = %s", [JOB])
    assert (row["state"], row["attempts"]) == ("waiting", 0)
    assert row["error"].startswith("blocked: guard: apply/removed/10-scratch.sql returns 1000 rows of scratch for 1 keys")
    assert counts(scene) == 1000
    nothing_happened(scene)
    assert [r["run_id"] for r in scene.run("runs", "--state", "blocked", "--json").ok().json()] == [str(row["run_id"])]


def test_a_run_of_an_event_removes_its_row(own):
    scene = without_notes(own({"apply/removed/10-scratch": OWN}, conf=BY_EVENT, settings={"jobs.scratch.one.enabled": False}))
    scene.topics.event("PlaceholderUserOrphaned", {"placeholder_user_id": 7})
    scene.run_until_idle()
    assert counts(scene) == 999 and scene.database.value("SELECT count(*) FROM scratch WHERE id = 7") == 0


def test_a_run_that_only_plans_is_held_to_its_page_too(own):
    scene = without_notes(own({"decide": DECIDE + " WHERE k <> 7", "apply/removed/10-scratch": OWN}, settings={"jobs.own.mode": "plan"}))
    run_id = tick(scene)
    scene.run_until_idle()
    assert_blocked(scene, run_id, "decide.sql", "leaves out the key 7")


def test_a_run_that_is_counted_first_is_held_to_its_pages_too(own):
    scene = without_notes(own({"page": FALLING, "apply/removed/10-scratch": OWN}, settings={"jobs.own.approve": "above", "jobs.own.max_rows": 500}))
    blocks(scene, "page.sql", "goes back")


def test_a_run_that_is_mended_goes_on(own, tmp_path):
    scene = without_notes(own({"apply/removed/10-scratch": ALL}))
    blocks(scene, "1000 rows of scratch")
    write(tmp_path / "jobs", {"apply/removed/10-scratch": OWN})
    run_id = scene.database.value("SELECT run_id FROM pruned.blocked")
    scene.run("retry", str(run_id)).ok()
    scene.run_until_idle()
    row = scene.run_row(run_id)
    assert result(row)["status"] == "completed" and result(row)["removed"] == 1000 and "reason" not in result(row)


def test_a_plan_of_a_job_that_is_right_says_all_its_rows(own):
    scene = own({"decide": DECIDE, "apply/removed/10-scratch_notes": NOTES, "apply/removed/20-scratch": OWN})
    plan = scene.run("plan", JOB, "--json").ok()
    assert plan.stdout.count('"removed"') >= 1000
    assert counts(scene) == 1000
