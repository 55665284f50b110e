"""SQL files of one's own leave nothing in the session: other jobs use it next."""

import json
import shutil

import pytest

from support.scene import JOBS

JOB = "scratch.remove"
SESSION = "would last until the session ends, and other jobs use it next"
NO_STATEMENT = "is no statement of a step"
WRONG = [
    ("lock/10-scratch.sql", "-- Not local.\nSET search_path = pg_catalog", 2, f"SET {SESSION}: write SET LOCAL"),
    ("lock/10-scratch.sql", "set session work_mem = '1GB'", 1, f"SET {SESSION}"),
    ("lock/10-scratch.sql", "SET TRANSACTION READ ONLY", 1, f"SET {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "/* LOCK */ RESET ALL", 1, f"RESET {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "LISTEN scratch", 1, f"LISTEN {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "CREATE TEMP TABLE mine (id int)", 1, f"CREATE {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "\n\nTRUNCATE scratch", 3, f"TRUNCATE {NO_STATEMENT}"),
    ("lock/10-scratch.sql", "SELECT pg_catalog.pg_advisory_lock(1)", 1, f"pg_advisory_lock {SESSION}: write pg_advisory_xact_lock"),
    ("lock/10-scratch.sql", "SELECT set_config('a.b', '1', true),\n set_config('work_mem', f(1, 2), false)", 2, f"set_config {SESSION}"),
    ("lock/10-scratch.sql", "SELECT set_config('work_mem', '1', :local::boolean)", 1, f"set_config {SESSION}"),
    ("lock/10-scratch.sql", 'SELECT 1,\n "pg_advisory_lock" (1)', 2, f"pg_advisory_lock {SESSION}"),
    ("lock/10-scratch.sql", "SELECT \"pg_catalog\".\"set_config\"('work_mem', '1', false)", 1, f"set_config {SESSION}"),
    ("lock/10-scratch.sql", "SELECT 1,\n u&\"pg_advisory\\005flock\" (1)", 2, 'U&".." calls a function by a name with escapes'),
    ("decide.sql", "COMMIT", 1, f"COMMIT {NO_STATEMENT}"),
    ("context.sql", "BEGIN", 1, f"BEGIN {NO_STATEMENT}"),
    ("apply/removed/20-other.insert.sql", "PREPARE a AS SELECT 1", 1, f"PREPARE {NO_STATEMENT}"),
    ("apply/removed/30-other.sql", "DISCARD ALL", 1, f"DISCARD {NO_STATEMENT}"),
    ("restored/other.sql", "-- include: ../set.txt", None, f"SET {SESSION}"),
]
RIGHT = ["SELEC 1", "SET LOCAL work_mem = '64MB'", "SET CONSTRAINTS ALL DEFERRED", "LOCK TABLE scratch IN SHARE ROW EXCLUSIVE MODE",
         "-- SET a\n(SELECT 'RESET', \"set\", $$pg_advisory_lock$$ FROM x)", "SELECT pg_advisory_xact_lock(1)",
         "WITH a AS (SELECT set_config('a.b', g('x', ARRAY[1, 2]), TRUE)) SELECT FROM a"]


@pytest.fixture
def said(new_pruned, new_database, new_topics, tmp_path):
    """What `pruned config` refuses when FILE has TEXT."""
    made = tmp_path / "jobs.d"
    pruned = new_pruned(new_database("empty"), new_topics(), settings={"run.jobs_dir": made})

    def say(file, text):
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(JOBS / JOB, made / JOB)
        path = made / JOB / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (made / JOB / "set.txt").write_text("SET a.b = 1")
        done = pruned.run("config", "--json")
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        return done.code, path, [(line["place"], line["reason"]) for line in lines if line.get("job") == JOB]
    return say


def test_what_would_outlast_the_step_is_refused_with_its_line(said):
    for file, text, line, reason in WRONG:
        code, path, refused = said(file, text)
        assert code == 2 and len(refused) == 1, (file, text)
        assert refused[0][0] == (f"{path}:{line}" if line else str(path)) and refused[0][1].startswith(reason), (text, refused)


def test_what_ends_with_the_step_is_taken(said):
    """What is no statement at all is PostgreSQL's to refuse."""
    for text in RIGHT:
        assert said("lock/10-scratch.sql", text)[::2] == (0, []), text
