"""The role of `pruned grants` has no more rights than it needs: without each of them, PostgreSQL
refuses some statement of the program."""

import psycopg
import pytest

from stack.found import PROJECT
from support.composed import Composed
from support.database import connect
from support.places import ROLE
from support.statements import Prepared, files

GIVEN = """
    SELECT CASE n.nspname WHEN 'pruned' THEN 'pruned.' ELSE '' END || c.relname AS name, a.privilege_type AS privilege
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE r.rolname = %s AND c.relkind IN ('r', 'p') AND n.nspname = %s ORDER BY 1, 2"""
FUNCTIONS = """
    SELECT p.oid::regprocedure::text FROM pg_proc p, aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee
    WHERE r.rolname = %s AND p.pronamespace = 'pruned'::regnamespace ORDER BY 1"""
# For each function a statement that calls it, and the arguments of that statement.
CALLS = {
    "pruned.drop_days(text,date)": ("engine/clock/sql/audit_drop.sql", "30, 31"),
    "pruned.ensure_day(text,date)": ("engine/clock/sql/audit_days.sql", ""),
    "pruned.forget_journal()": ("engine/clock/sql/journal_forget.sql", ""),
    "pruned.held_below(oid,text[],oid[],boolean,boolean)": ("engine/step/sql/held_below.sql", "'members', '{1}', '{}', false, true"),
    "pruned.held_key(oid)": ("held_match", ""),
    "pruned.held_match(oid)": ("held_match", ""),
    "pruned.held_missed(text[],bigint[])": ("engine/clock/sql/held_missed.sql", "'{}', '{}'"),
    "pruned.held_settled(text)": ("held_settled", ""),
    "pruned.held_sign(oid)": ("engine/work/sql/holds_follow.sql", ""),
    "pruned.held_table(text)": ("engine/step/sql/quarantine_known.sql", "7, '{members:1}', 'x', true"),
    "pruned.held_within(oid,text)": ("held_within", ""),
    "pruned.holds_follow()": ("engine/work/sql/holds_follow.sql", ""),
    "pruned.holds_settle()": ("engine/work/sql/holds_follow.sql", ""),
    "pruned.keep_at_least(text[],integer[])": ("engine/ledger/sql/keep_at_least.sql", "'{deletions}', '{30}'"),
    "pruned.secret_columns(oid,text,jsonb)": ("engine/brakes/sql/due_hidden.sql", "'invite_token', 'token', '[]', '{}', 'members', 'full'"),
    "pruned.recorded_table(text,text)": ("secret.sql", "'{}', 'full', NULL, 'token', '[]'"),
    "pruned.recorded(anyelement,text[])": ("recorded.sql", "'{}'"),
    "pruned.texts_of(oid)": ("recorded.sql", "'{}'"),
    "pruned.read_back(text,oid,text,text,jsonb[])": ("read_back.sql", "'{}', 'full', 'token', '[]', '?'"),
}
# The audit is written by a statement that C wraps around those of the jobs
# (src/engine/job/job_files.c).
AUDIT = "INSERT INTO pruned.deletions (run_id, step, table_name, action, keys, rows) VALUES (:a::uuid, 1, 'm', 'deleted', '[]', '[]')"
# Parts of it, and of partitions_decide.sql, each in a statement as small as it can be.
PARTS = PROJECT / "src/engine/job/sql"
AROUND = {"secret.sql": "WITH {secret} SELECT FROM secret", "recorded.sql": "SELECT {recorded} FROM members AS m",
          "held_settled": "SELECT pruned.held_settled('members')",
          "held_match": "SELECT pruned.held_match('members'::regclass)",
          "held_within": "SELECT pruned.held_within('members'::regclass, 'members')",
          "read_back.sql": "WITH {read_back_secret}, audit AS (SELECT '[]'::jsonb AS rows) SELECT 1 AS n {read_back}"}
# A sentence that drops partitions is written for its table
# (src/engine/job/sentence/sentence_partitions.c).
WRITE = PROJECT / "src/engine/job/sentence/write"
WORDS = {"table": "logs", "relation": "'logs'", "age": "1 day", "upper_at": "b.upper::timestamptz"}
# Things that other databases have and the tests' database lacks: unique keys that a move to the
# ghost user would break, and tables whose rows go by a key. The program has a statement for each.
OF_OTHER_DATABASES = """
    CREATE UNIQUE INDEX ON award_emoji (user_id, name);
    CREATE UNIQUE INDEX ON reviews (author_id, merge_request_id);
    CREATE TABLE public.link_notes (link_id bigint REFERENCES project_group_links ON DELETE CASCADE);
    CREATE TABLE public.ci_job_artifact_states (job_artifact_id bigint REFERENCES ci_job_artifacts ON DELETE CASCADE);
    GRANT SELECT, INSERT, UPDATE, DELETE ON public.link_notes, public.ci_job_artifact_states TO {role};"""


@pytest.fixture(scope="module")
def statements_of():
    return files() | {name: with_parts(text) for name, text in AROUND.items()}


def with_parts(text):
    for part in PARTS.glob("*.sql"):
        text = text.replace(f"{{{part.stem}}}", part.read_text())
    return text.replace("{table}", "members").replace("{setting}", "pruned.setting").replace(r"\1", "m")


@pytest.fixture
def owner(database):
    with connect(database.url) as session:
        session.autocommit = False
        yield session
        session.rollback()


def partitions_begin():
    text = (WRITE / "partitions_begin.sql").read_text().replace("{due}", (WRITE / "partitions_due.sql").read_text())
    for word, value in WORDS.items():
        text = text.replace(f"{{{word}}}", value)
    return text


def prepared_all(database, owner, statements_of):
    prepared = Prepared(owner)
    owner.execute("SAVEPOINT one")
    for name, text in {**statements_of, "the audit (src/engine/job/job_files.c)": AUDIT, "partitions_begin.sql": partitions_begin()}.items():
        if prepared.add(name, text):
            owner.execute("SAVEPOINT one")
        else:
            owner.execute("ROLLBACK TO one")
    return prepared


def who_needs(owner, prepared, revoke, candidates):
    """The first statement that is refused without the right."""
    owner.execute("SAVEPOINT taken")
    owner.execute(revoke)
    try:
        return next((name for name in candidates if not prepared.may(name)), None)
    finally:
        owner.execute("ROLLBACK TO taken")


@pytest.mark.check_all
def test_each_right_on_our_own_tables_is_needed_by_a_statement(database, owner, statements_of):
    prepared = prepared_all(database, owner, statements_of)
    refused = [name for name in prepared.given if not prepared.may(name)]
    assert refused == []
    given = database.rows(GIVEN, [ROLE, "pruned"])
    needs = {(g["name"], g["privilege"]): who_needs(owner, prepared, f"REVOKE {g['privilege']} ON {g['name']} FROM {ROLE}",
                                                     prepared.that_may_need(g["name"], g["privilege"])) for g in given}
    assert len(needs) > 30 and [right for right, name in needs.items() if name is None] == []


@pytest.mark.check_all
def test_each_right_on_the_applications_tables_is_needed_by_a_statement(database, owner, statements_of):
    prepared = prepared_all(database, owner, statements_of)
    given = database.rows(GIVEN, [ROLE, "public"])
    owner.execute(OF_OTHER_DATABASES.format(role=ROLE))
    composed = Composed(owner, statements_of).all(sorted({g["name"] for g in given}))
    unknown = [name for name, text in composed.items() if not prepared.add(name, text)]
    assert unknown == [] and len(composed) > 100
    refused = [name for name in prepared.given if not prepared.may(name)]
    assert refused == []
    needs = {(g["name"], g["privilege"]): who_needs(owner, prepared, f"REVOKE {g['privilege']} ON {g['name']} FROM {ROLE}",
                                                     prepared.that_may_need(g["name"], g["privilege"])) for g in given}
    assert len(needs) > 60 and [right for right, name in needs.items() if name is None] == []


def test_a_statement_is_known_for_each_function(database):
    assert database.column(FUNCTIONS, [ROLE]) == sorted(CALLS)


@pytest.mark.parametrize("function", CALLS)
def test_each_function_is_needed_by_a_statement(owner, statements_of, function):
    name, arguments = CALLS[function]
    prepared = Prepared(owner)
    assert prepared.add(name, statements_of[name])
    owner.execute("SAVEPOINT given")
    owner.execute(f"SET LOCAL ROLE {ROLE}")
    prepared.execute(name, arguments)
    owner.execute("ROLLBACK TO given")
    owner.execute(f"REVOKE EXECUTE ON FUNCTION {function} FROM {ROLE}")
    owner.execute(f"SET LOCAL ROLE {ROLE}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
        prepared.execute(name, arguments)
    assert refused.value.diag.message_primary == f"permission denied for function {function.split('(')[0].removeprefix('pruned.')}"


def test_no_right_is_given_on_days_and_none_to_everybody(database):
    assert database.rows("SELECT relname FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee "
                         "WHERE c.relispartition AND r.rolname = %s", [ROLE]) == []
    assert database.rows("SELECT c.relname FROM pg_class c, aclexplode(c.relacl) a WHERE a.grantee = 0 "
                         "AND c.relnamespace = 'pruned'::regnamespace") == []
