"""A folder whose files ask for a parameter that nothing binds, or return other columns than their
form wants, is refused by `check`, by `doctor` and when it is loaded, alone, with the file and the
nearest name. Whether a row is due makes no difference."""

import shutil

import pytest

from support.checked import JOB, errors, write
from support.places import ROLE
from support.scene import JOBS, fill, now, tick_id

OTHER = "scratch.other"
DECIDE = "SELECT k.id AS key, 'removed' AS what, s.note FROM unnest(:key::bigint[]) AS k (id) LEFT JOIN scratch s ON s.id = k.id"
DELETE = "DELETE FROM scratch s USING unnest(:key::bigint[]) AS k (id) WHERE s.id = k.id RETURNING s.id AS key, to_jsonb(s.*) AS row"
CHILD = "SELECT 'scratch.other' AS job, '{}'::jsonb AS args, k::text AS child_key, NULL::text AS unique_key, NULL::timestamptz AS due_at"

MEMBER = "outcome = MemberKept\noutcome.member_id = 1\noutcome.source_type = Project\noutcome.source_id = 2\noutcome.reason = denied\n"


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


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_parameter_that_nothing_binds(own, name):
    text, wrong, near = PARAMETERS[name]
    file = write(own, name, text)
    found = [one for one in errors(own, 2) if wrong in one["detail"]]
    assert [(one["check"], one["file"], one["line"]) for one in found] == [(check_of(name), str(file), 2)]
    assert found[0]["detail"].startswith(f"nothing is bound to {wrong}") and (near is None or f"did you mean {near}?" in found[0]["detail"])


def test_a_setting_that_no_job_has(own):
    file = write(own, "decide.sql", DECIDE + "\nWHERE :setting.bach::int > 0 AND :setting.scratch.other.bathc::int > 0 AND :setting.batch::int > 0")
    found = errors(own, 2)
    assert [(one["file"], one["line"]) for one in found] == [(str(file), 3)] * 2
    assert "did you mean :setting.batch?" in found[0]["detail"] and "did you mean :setting.scratch.other.batch?" in found[1]["detail"]


COLUMNS = {  # file: (its text, the column that is missing, the nearest one)
    "page.sql": ("SELECT s.id AS kye, s.day, s.id FROM scratch s WHERE (s.day, s.id) < (:cursor.day::date, :cursor.id::bigint)"
                 " ORDER BY s.day DESC, s.id DESC LIMIT :limit::int", "key", "kye"),
    "decide.sql": ("SELECT k AS key, 'removed' AS wat FROM unnest(:key::bigint[]) k", "what", "wat"),
    "children.sql": (CHILD.replace("args,", "arg,") + " FROM unnest(:key::bigint[]) k", "args", "arg"),
    "context.sql": ("SELECT s.id, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[])", "key", None),
    "blocked.sql": ("SELECT 'x' AS reasons WHERE false", "reason", "reasons"),
    "blocked_minute.sql": ("SELECT 'x' AS reasons WHERE false", "reason", "reasons"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_that_is_missing_though_no_row_is_due(own, name):
    text, missing, near = COLUMNS[name]
    file = write(own, name, text)
    found, = errors(own, 2)
    assert (found["check"], found["file"]) == (check_of(name), str(file)) and found["detail"].startswith(f"it returns no column '{missing}'")
    assert near is None or f"'{near}'" in found["detail"]


def test_an_insert_that_is_a_words_only_file_returns_its_keys(own):
    shutil.rmtree(own.folder / "jobs" / JOB / "apply")
    (own.folder / "jobs" / JOB / "apply/removed").mkdir(parents=True)
    file = write(own, "apply/removed/10-scratch_log.insert.sql", "INSERT INTO scratch_log SELECT k FROM unnest(:key::bigint[]) k")
    found, = errors(own, 2)
    assert found["file"] == str(file) and "it returns no column 'key'" in found["detail"]
    write(own, "apply/removed/10-scratch_log.insert.sql", "INSERT INTO scratch_log AS l SELECT k FROM unnest(:key::bigint[]) k RETURNING l.id AS key")
    assert errors(own, 0) == []


def test_an_outcome_is_about_a_column_of_the_decision(own):
    conf = own.folder / "jobs" / JOB / "job.conf"
    conf.write_text(conf.read_text() + MEMBER + "entity = noet\n")
    found, = errors(own, 2)
    assert (found["file"], found["line"]) == (str(conf), conf.read_text().splitlines().index("entity = noet") + 1)
    assert "'noet'" in found["detail"] and "did you mean note?" in found["detail"]


KEPT = "outcome = MemberKept\noutcome.source_type = Namespace\n"


def test_an_outcome_has_the_fields_that_it_cannot_be_without(own):
    write(own, "decide.sql", DECIDE.replace("s.note", "s.id AS member_id, s.id AS source, s.note"))
    conf = own.folder / "jobs" / JOB / "job.conf"
    conf.write_text(conf.read_text() + KEPT + "[failed]\noutcome.reason = failed\n" + KEPT)
    line = conf.read_text().splitlines().index("outcome = MemberKept") + 1
    found = [(one["check"], one["file"], one["line"], one["detail"]) for one in errors(own, 2)]
    missing = "[{}] outcome MemberKept: decide.sql returns no column '{}'"
    assert found == [("form", str(conf), line, missing.format("what removed", "source_id") + ", did you mean source?"),
                     ("form", str(conf), line, missing.format("what removed", "reason")),
                     ("form", str(conf), line + 4, missing.format("failed", "source_id") + ", did you mean source?")]
    write(own, "decide.sql", DECIDE.replace("s.note", "s.id AS member_id, s.id AS source_id, s.note AS reason"))
    assert errors(own, 0) == []


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


def test_a_file_for_rows_that_the_job_never_removes_is_a_warning(own):
    file = write(own, "restored/scratsch.sql", "SELECT k AS key FROM unnest(:key::bigint[]) k")
    [found] = [one for one in own.run("check", JOB, "--json").json() if one["check"] == "form"]
    assert (found["ok"], found["level"], found["file"]) == (True, "warning", str(file))
    assert found["detail"] == "it is never run: no file of the job removes or changes rows of scratsch, did you mean 'scratch'?"


def test_the_jobs_of_the_program_have_their_form(stored):
    assert [one for one in stored.run("check", "--json").json() if one["check"] == "form"] == []


@pytest.mark.parametrize("name", ["lock/10-scratch.sql", "context.sql"])
def test_such_a_job_is_not_loaded_and_doctor_says_why(own, name):
    text, wrong, near = PARAMETERS[name]
    file = write(own, name, text)
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


@pytest.mark.parametrize("name, word, wanted", [("scratch.txt", "removed", "add TABLE.sql"), ("10-scratch.SQL", "removed", "TABLE.sql"),
                                                ("x/10-scratch.sql", "changed", "nothing would use it"), ("scratch.txt", "changed", "add TABLE.update.sql"), ("10-.sql", "removed", "the name says no table")])
def test_rows_that_no_file_changes_do_not_count_as_changed(own, name, word, wanted):
    folder = own.folder / "jobs" / JOB
    (folder / "job.conf").write_text((folder / "job.conf").read_text().replace("[what removed]", f"[what {word}]"))
    shutil.rmtree(folder / "apply")
    (folder / "apply" / word / name).parent.mkdir(parents=True)
    (folder / "apply" / word / name).write_text(DELETE)
    done = own.run("check", JOB)
    assert done.code == 2 and wanted in done.stdout + done.stderr, done
