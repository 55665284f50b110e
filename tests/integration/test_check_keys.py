"""`pruned check` and a daemon refuse a folder that changes rows which have nothing to do with its
keys. A run cannot know how many rows of another table belong to a key."""

import shutil

import pytest

from support.checked import JOB, errors, write
from support.places import ROLE
from support.scene import JOBS, fill, tick_id, now

REMARKS = "apply/removed/05-remarks.sql"
RETURNING = "RETURNING n.id AS key, to_jsonb(n.*) AS row\n"
KEYS = "unnest(:key::bigint[])"


@pytest.fixture
def own(stored):
    """A copy of a job of the tests, whose table has a child."""
    shutil.copytree(JOBS / JOB, stored.folder / "jobs" / JOB)
    stored.database.connection.execute(
        f"""CREATE TABLE scratch (id bigint PRIMARY KEY, day date NOT NULL DEFAULT '2026-01-01', note text);
            CREATE TABLE remarks (id bigint PRIMARY KEY, scratch_id bigint NOT NULL, kind text);
            CREATE TABLE scratch_lines (id bigint PRIMARY KEY);
            CREATE INDEX ON scratch (day DESC, id DESC); CREATE INDEX ON remarks (scratch_id);
            GRANT SELECT, INSERT, UPDATE, DELETE ON scratch, remarks, scratch_lines TO {ROLE}""")
    fill(stored.database, 5)
    stored.database.execute("INSERT INTO remarks SELECT i, i, 'x' FROM pg_catalog.generate_series(1, 10) i")
    stored.settings["run.jobs_dir"] = stored.folder / "jobs"
    return stored


APART = [
    ("it asks for no column of decide.sql", f"DELETE FROM remarks n {RETURNING}"),
    ("it asks for no column of decide.sql", f"DELETE FROM remarks n WHERE n.kind = 'x' AND :scheduled_at::timestamptz > now() {RETURNING}"),
    ("no condition names a column of the list k:", f"DELETE FROM remarks n USING {KEYS} AS k (id) {RETURNING}"),
    ("no condition names a column of the list k:", f"DELETE FROM remarks n USING {KEYS} AS k (id) WHERE n.kind = 'x' {RETURNING}"),
    ("no condition names a column of the list k:", f"DELETE FROM remarks n USING unnest(:key::bigint[], :key::bigint[]) AS k (id, other) {RETURNING}"),
    ("its sub-select compares no column of the list k with a row", f"DELETE FROM remarks n WHERE EXISTS (SELECT FROM {KEYS} AS k (key)) {RETURNING}"),
    # PostgreSQL 17 makes a join of the sub-select.
    (("its sub-select compares no column of the list k with a row", "no condition names a column of the list k:"),
     f"DELETE FROM remarks n WHERE n.scratch_id IN (SELECT scratch_id FROM {KEYS} AS k (key)) {RETURNING}"),
    ("its sub-select compares no column of the list k with a row", f"DELETE FROM remarks n WHERE (SELECT count(*) FROM {KEYS} AS k (key)) > 0 {RETURNING}"),
    ('no condition names a column of the list k:', f"DELETE FROM remarks n USING scratch s, {KEYS} AS k (id) WHERE n.scratch_id = s.id {RETURNING}"),
]


def of_copies(own, texts):
    """Makes a job with each of TEXTS as its file for another table; what `pruned check` finds wrong
    with each."""
    copies = []
    for number, text in enumerate(texts):
        job = f"scratch.copy{number}"
        folder = shutil.copytree(own.folder / "jobs" / JOB, own.folder / "jobs" / job)
        conf = folder / "job.conf"
        conf.write_text(conf.read_text().replace("unique_key = scratch.remove", f"unique_key = {job}"))
        (folder / REMARKS).write_text(text)
        copies.append(folder)
    found = own.run("check", "--json", settings={"run.jobs": "none"}).json()
    return [(folder / REMARKS, [one for one in found if one["job"] == folder.name and not one["ok"]]) for folder in copies]


def test_a_file_for_another_table_without_its_join_is_refused(own):
    for (words, text), (file, found) in zip(APART, of_copies(own, [text for _, text in APART])):
        assert [(one["check"], one["file"]) for one in found] == [("keys", str(file))], (text, found)
        assert any(one in found[0]["detail"] for one in (words if isinstance(words, tuple) else [words])), (text, found)


JOINED = [
    f"USING {KEYS} AS k (id) WHERE n.scratch_id = k.id", "WHERE n.scratch_id = ANY (:key::bigint[])",
    "WHERE n.scratch_id IN (SELECT unnest(:key::bigint[]))", f"WHERE n.scratch_id IN (SELECT k.id FROM {KEYS} AS k (id))",
    f'WHERE EXISTS (SELECT FROM {KEYS} AS "K, x" (id) WHERE "K, x".id = n.scratch_id)', f"USING {KEYS} AS k WHERE n.scratch_id = k",
    f"USING scratch s, {KEYS} AS k (id) WHERE n.scratch_id = s.id AND s.id = k.id",
    f"WHERE n.scratch_id = ANY (:key::bigint[]) AND EXISTS (SELECT FROM {KEYS} AS k (id))",
    f"WHERE n.scratch_id = ANY (ARRAY(SELECT k.id FROM {KEYS} AS k (id)))", f"WHERE n.scratch_id NOT IN (SELECT -k.id FROM {KEYS} AS k (id))",
    f"WHERE n.scratch_id NOT IN (SELECT x.id + 1 FROM (SELECT k.id FROM {KEYS} AS k (id) ORDER BY 1 LIMIT 5) AS x)",
    f"WHERE (SELECT bool_or(k.id = n.scratch_id) FROM {KEYS} AS k (id))", f"USING {KEYS} AS k (id) WHERE n.scratch_id = k.id AND (SELECT count(*) FROM {KEYS} AS o) > 0",
    f"USING {KEYS} AS k (id), unnest(ARRAY[k.id, 0]) AS e (id) WHERE n.scratch_id = e.id",
    f"USING {KEYS} AS k (id) CROSS JOIN (SELECT 0 AS more) AS z WHERE n.scratch_id = k.id + z.more",
    f"USING (WITH d AS MATERIALIZED (SELECT k.id FROM {KEYS} AS k (id)) SELECT * FROM d) AS d WHERE n.scratch_id = d.id",
]


def test_a_file_with_its_join_is_well(own):
    for text, (_, found) in zip(JOINED, of_copies(own, [f"DELETE FROM remarks n {text} {RETURNING}" for text in JOINED])):
        assert found == [], (text, found)


def test_an_insert_needs_no_key(own):
    write(own, "apply/removed/05-scratch_lines.insert.sql", "INSERT INTO scratch_lines SELECT 1 ON CONFLICT DO NOTHING")
    assert errors(own, 0) == []


@pytest.mark.parametrize("name, text", [
    ("lock/05-remarks.sql", "WITH gone AS (DELETE FROM remarks RETURNING id) SELECT count(*) AS locked FROM gone"),
    ("context.sql", "WITH gone AS (DELETE FROM remarks RETURNING id) SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[])"),
])
def test_a_file_that_should_only_read_is_refused_if_it_changes_rows(own, name, text):
    file = write(own, name, text)
    wrong, = errors(own, 2)
    assert (wrong["check"], wrong["file"]) == ("keys", str(file)) and "it changes rows" in wrong["detail"]


@pytest.mark.check_all
def test_a_daemon_does_not_begin_such_a_job(own):
    write(own, REMARKS, f"DELETE FROM remarks n USING {KEYS} AS k (id) {RETURNING}")
    own.run("topics", "--apply").ok()
    at = now()
    own.topics.tick(JOB, at)
    own.run_until_idle()
    row = own.run_row(tick_id(JOB, at))
    assert row["result"]["status"] == "blocked" and "no condition names a column of the list k" in row["result"]["reason"]
    assert own.database.value("SELECT count(*) FROM remarks") == 10 and own.database.value("SELECT count(*) FROM scratch") == 5
