"""A folder whose files ask for a parameter that nothing binds, or return other columns than their
form wants, is refused by `check`, by `doctor` and when it is loaded, alone, with the file and the
nearest name. Whether a row is due makes no difference. Each of these forms:
unit/cli/check/test_check_form.c."""

import shutil

import pytest

from support.checked import JOB, errors, write
from support.places import ROLE
from support.scene import JOBS, fill, now, tick_id

OTHER = "scratch.other"
DECIDE = "SELECT k.id AS key, 'removed' AS what, s.note FROM unnest(:key::bigint[]) AS k (id) LEFT JOIN scratch s ON s.id = k.id"
DELETE = "DELETE FROM scratch s USING unnest(:key::bigint[]) AS k (id) WHERE s.id = k.id RETURNING s.id AS key, to_jsonb(s.*) AS row"
CHILD = "SELECT 'scratch.other' AS job, '{}'::jsonb AS args, k::text AS child_key, NULL::text AS unique_key, NULL::timestamptz AS due_at"

@pytest.fixture
def own(stored):
    """Copies of a job of the tests, over an empty table."""
    for job in (JOB, OTHER):
        shutil.copytree(JOBS / JOB, stored.folder / "jobs" / job)
        conf = stored.folder / "jobs" / job / "job.conf"
        conf.write_text(conf.read_text().replace("unique_key = scratch.remove", f"unique_key = {job}"))
    stored.database.connection.execute(
        f"""CREATE TABLE scratch (id bigint PRIMARY KEY, day date NOT NULL DEFAULT '2026-01-01', note text);
            CREATE TABLE scratch_log (id bigint PRIMARY KEY);
            CREATE INDEX ON scratch (day DESC, id DESC);
            GRANT SELECT, INSERT, UPDATE, DELETE ON scratch, scratch_log TO {ROLE}""")
    stored.settings["run.jobs_dir"] = stored.folder / "jobs"
    write(stored, "decide.sql", DECIDE)
    return stored


def check_of(name):
    return "page" if name == "page.sql" else "form"


PARAMETERS = {  # file: (its text, the unknown parameter, the nearest one)
    "page.sql": ("SELECT s.id AS key, s.day, s.id FROM scratch s WHERE s.id < :cursor.ids::bigint AND s.day < :cursor.day::date"
                 "\nORDER BY s.day DESC, s.id DESC LIMIT :limit::int", ":cursor.ids", ":cursor.id"),
    "lock/10-scratch.sql": ("SELECT s.id FROM scratch s WHERE s.id = ANY (:keys::bigint[]) ORDER BY s.id FOR UPDATE", ":keys", ":key"),
    "decide.sql": (DECIDE + " WHERE k.id <> ALL (:went::bigint[]) AND :held::text IS NULL", ":held", None),
    "apply/removed/10-scratch.sql": (DELETE.replace(":key:", ":keys:"), ":keys", ":key"),
    "apply/removed/20-scratch_log.insert.sql": ("INSERT INTO scratch_log SELECT u FROM unnest(:key::bigint[], :notes::text[]) AS t (u, v)",
                                                ":notes", ":note"),
    "children.sql": (CHILD + " FROM unnest(:key::bigint[], :whats::text[]) AS t (k, w)", ":whats", ":what"),
    "context.sql": ("SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY (:keys::bigint[])", ":keys", ":key"),
    "blocked.sql": ("SELECT 'x' AS reason WHERE :arg::jsonb = '{}'::jsonb", ":arg", ":args"),
    "released.sql": ("UPDATE scratch SET note = NULL WHERE id = ANY (:items::bigint[])", ":items", ":item"),
    "restored/scratch.sql": ("UPDATE scratch SET note = 'back' WHERE id = ANY (:keys::bigint[])", ":keys", ":key"),
}


def test_parameters_that_nothing_binds(own):
    """All of them, in one look."""
    files = {name: write(own, name, text) for name, (text, *_) in PARAMETERS.items()}
    found = errors(own, 2)
    for name, (_, wrong, near) in PARAMETERS.items():
        one, = [one for one in found if one["file"] == str(files[name]) and f"nothing is bound to {wrong}" in one["detail"]]
        assert (one["check"], one["line"]) == (check_of(name), 2)
        assert near is None or f"did you mean {near}?" in one["detail"], one


COLUMNS = {  # file: (its text, the column that is missing, the nearest one)
    "page.sql": ("SELECT s.id AS kye, s.day, s.id FROM scratch s WHERE (s.day, s.id) < (:cursor.day::date, :cursor.id::bigint)"
                 " ORDER BY s.day DESC, s.id DESC LIMIT :limit::int", "key", "kye"),
    "decide.sql": ("SELECT k AS key, 'removed' AS wat FROM unnest(:key::bigint[]) k", "what", "wat"),
    "children.sql": (CHILD.replace("args,", "arg,") + " FROM unnest(:key::bigint[]) k", "args", "arg"),
    "context.sql": ("SELECT s.id, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[])", "key", None),
    "blocked.sql": ("SELECT 'x' AS reasons WHERE false", "reason", "reasons"),
    "blocked_minute.sql": ("SELECT 'x' AS reasons WHERE false", "reason", "reasons"),
}


def test_columns_that_are_missing_though_no_row_is_due(own):
    """PostgreSQL describes what each file returns."""
    files = {name: write(own, name, text) for name, (text, *_) in COLUMNS.items()}
    found = {one["file"]: one for one in errors(own, 2)}
    assert set(found) == {str(file) for file in files.values()}
    for name, (_, missing, near) in COLUMNS.items():
        one = found[str(files[name])]
        assert one["check"] == check_of(name) and one["detail"].startswith(f"it returns no column '{missing}'")
        assert near is None or f"'{near}'" in one["detail"]


def test_everything_that_a_file_may_ask_for_is_taken(own):
    common = " AND ".join(f":{name}::text IS DISTINCT FROM 'x'" for name in (
        "run_id", "step", "scheduled_at", "plan", "args", "job", "rows", "index", "began_at", "setting.batch", "setting.scratch.other.batch"))
    write(own, "decide.sql", f"{DECIDE} WHERE k.id <> ALL (:gone::bigint[]) AND {common}")
    write(own, "lock/10-scratch.sql", f"SELECT s.id FROM scratch s WHERE s.id = ANY (:key::bigint[]) AND :held::bigint[] IS NOT NULL AND {common} FOR UPDATE")
    write(own, "children.sql", f"{CHILD} FROM unnest(:key::bigint[], :what::text[], :note::text[]) AS t (k, w, n) WHERE false AND {common}")
    write(own, "apply/removed/20-scratch_log.insert.sql", "INSERT INTO scratch_log SELECT k FROM unnest(:key::bigint[], :note::text[]) AS t (k, n)"
          f" WHERE {common}")
    write(own, "context.sql", f"SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[]) AND {common}")
    write(own, "blocked.sql", "SELECT 'x' AS reason WHERE :args::jsonb IS NULL OR :scheduled_at::timestamptz IS NULL")
    write(own, "released.sql", "UPDATE scratch s SET note = n.at FROM unnest(:item::text[], :next_try_at::text[]) AS n (item, at) WHERE s.note = n.item")
    write(own, "restored/scratch.sql", "UPDATE scratch SET note = 'back' WHERE id = ANY (:key::bigint[])")
    assert errors(own, 0) == []
    fill(own.database, 3)
    own.run("topics", "--apply").ok()
    at = now()
    own.topics.tick(JOB, at)
    own.run_until_idle()
    assert own.run_row(tick_id(JOB, at))["result"]["removed"] == 3 and own.database.value("SELECT count(*) FROM scratch_log") == 3


@pytest.mark.check_all
def test_the_jobs_of_the_program_have_their_form(stored):
    assert [one for one in stored.run("check", "--json").json() if one["check"] == "form"] == []


@pytest.mark.check_all
def test_such_a_job_is_not_loaded_and_doctor_says_why(own):
    text, wrong, near = PARAMETERS["context.sql"]
    file = write(own, "context.sql", text)
    fill(own.database, 3)
    own.run("topics", "--apply").ok()
    at = now()
    for job in (JOB, OTHER):
        own.topics.tick(job, at)
    own.run_until_idle()
    result = own.run_row(tick_id(JOB, at))["result"]
    assert (result["status"], result["reason"]) == ("blocked", f"refused: {file}:2: nothing is bound to {wrong}, did you mean {near}?")
    assert own.run_row(tick_id(OTHER, at))["result"]["removed"] == 3
    done = own.run("doctor", "--json")
    assert done.code == 2 and any(wrong in one["detail"] and str(file) in one["detail"] for one in done.json())
