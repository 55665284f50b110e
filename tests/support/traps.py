"""Operators that another role creates in the application's schema: each fits its types exactly, and
PostgreSQL's own fits them only after a conversion."""

import itertools

TEXTS, NUMBERS = ["text", "varchar", "char", "name"], ["smallint", "int", "bigint", "numeric", "real", "double precision"]
TIMES, ARRAYS = ["date", "timestamp", "timestamptz"], ["smallint[]", "bigint[]", "int[]", "text[]", "varchar[]"]
COMPARED, PATTERNS = ["=", "<>", "<", ">", "<=", ">="], ["~~", "!~~", "~", "!~"]
NOT_PGS_OWN = """SELECT WHERE NOT EXISTS (SELECT FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace AND oprname = %s
                                               AND oprleft = %s::regtype AND oprright = %s::regtype)"""
MAKE = """CREATE FUNCTION traps.of_{n}({left}, {right}) RETURNS {back} LANGUAGE plpgsql AS $$ BEGIN {does} RETURN NULL; END $$;
          CREATE OPERATOR public.{sign} (LEFTARG = {left}, RIGHTARG = {right}, FUNCTION = traps.of_{n})"""


def pairs(*families):
    return [pair for family in families for pair in itertools.product(family, family)]


def operators():
    """(operator, left, right, result)"""
    same = [(a, a) for a in ARRAYS]
    yield from ((sign, *pair, "boolean") for sign in COMPARED for pair in [*pairs(TEXTS, NUMBERS, TIMES), *same])
    yield from ((sign, *pair, "boolean") for sign in ("@>", "<@", "&&") for pair in same)
    yield from ((sign, *pair, "boolean") for sign in PATTERNS for pair in pairs(TEXTS))
    yield from ((sign, *pair, pair[0]) for sign in "+-*/" for pair in pairs(NUMBERS))
    yield from ((sign, *pair, "interval") for sign in "*/" for n in NUMBERS for pair in ((n, "interval"), ("interval", n)))
    others = [*NUMBERS, *TIMES, "boolean", "uuid"]
    yield from (("||", *pair, "text") for pair in [*pairs(TEXTS), *itertools.product(TEXTS, others), *itertools.product(others, TEXTS)])
    for array in ARRAYS:
        yield from (("||", *pair, array) for pair in ((array, array), (array, array[:-2]), (array[:-2], array)))


def lay(session, does=""):
    """DOES: SQL that a trap runs. `{what}` is what it was taken for."""
    session.execute("CREATE SCHEMA traps; GRANT USAGE ON SCHEMA traps TO PUBLIC")
    for n, (sign, left, right, back) in enumerate(operators()):
        if session.execute(NOT_PGS_OWN, [sign, left, right]).fetchone() is not None:
            what = f"{left} {sign} {right}"
            session.execute(MAKE.format(n=n, sign=sign, left=left, right=right, back=back, does=does.format(what=what)).encode())
