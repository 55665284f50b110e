"""No statement takes an operator that another role creates in the application's schema, even if
PostgreSQL's own fits only after a conversion. Not meant are statements that a job composes for
columns of any type (keys, for instance)."""

import psycopg
import pytest

from support import traps
from support.statements import Prepared, files

TAKEN = """SELECT DISTINCT d.refobjid::regoperator::text FROM pg_depend d
           WHERE d.classid = 'pg_proc'::regclass AND d.objid = 'pg_temp.taking'::regproc AND d.refclassid = 'pg_operator'::regclass"""


def prepare_all(session):
    session.execute("DEALLOCATE ALL")
    prepared = Prepared(session)
    for name, text in files().items():
        prepared.add(name, text)
    return prepared


def taken_by(session, prepared, name):
    """The operators of others in a statement: a function with this body depends on them."""
    types = session.execute("SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = %s",
                            [f"s{prepared.given[name][0]}"]).fetchone()[0]
    head = f"FUNCTION pg_temp.taking({', '.join(types)})"
    session.execute(f"CREATE {head} RETURNS void LANGUAGE sql BEGIN ATOMIC {prepared.texts[name]}; END".encode())
    found = [taken for taken, in session.execute(TAKEN).fetchall()]
    session.execute(f"DROP {head}")
    return found


@pytest.fixture
def session(database):
    with psycopg.connect(database.url, autocommit=True) as one:
        one.prepare_threshold = None
        yield one


def test_no_statement_takes_an_operator_of_others(session):
    understood = set(prepare_all(session).given)
    assert len(understood) > 350
    traps.lay(session)
    prepared = prepare_all(session)
    assert understood - set(prepared.given) == set(), "an operator of others makes these ambiguous"
    taken = {name: taken_by(session, prepared, name) for name in prepared.given}
    assert {name: found for name, found in taken.items() if found} == {}
