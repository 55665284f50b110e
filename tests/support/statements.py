"""All statements of the program, for PostgreSQL to check: the SQL files of src/, and what they
compose at run time."""

import re

import psycopg

from stack.found import PROJECT

from .places import ROLE

SRC = PROJECT / "src"
INCLUDE = re.compile(r"^[ \t]*-- include: (\S+)[^\n]*$", re.M)
# not inside string literals: they become statements later
PARAMETER = re.compile(r"'(?:[^']|'')*'|(?<!:):([a-z_][a-z0-9_.]*)(?=::)")
# Left out: what the owner of the schema runs, what runs against another database, and parts of
# other files.
NOT_THE_DAEMONS = re.compile(r"cli/(bench|demo)/|cli/sql/forget|keeping_set|identity_put|schema_(note|lock)")
PAIRS = [(re.compile(p), r) for p, r in ((r"INSERT", r"INSERT\s+INTO\s+{}\b"), (r"DELETE", r"DELETE\s+FROM\s+{}\b"),
                                         (r"UPDATE", r"UPDATE\s+{}\b|FOR\s+(NO\s+KEY\s+)?UPDATE|FOR\s+SHARE|DO\s+UPDATE"))]


def text_of(path):
    return INCLUDE.sub(lambda m: text_of((path.parent / m[1]).resolve()), path.read_text())


def numbered(text):
    """(the text with $1, $2, ... for its parameters, the names of the parameters)"""
    names = []

    def number(match):
        if match[1] is None:
            return match[0]
        if match[1] not in names:
            names.append(match[1])
        return f"${names.index(match[1]) + 1}"

    plain = re.sub(r"--[^\n]*", "", text)
    return PARAMETER.sub(number, plain).rstrip().rstrip(";"), names


def files():
    """{path below src: text} of all files that hold a statement."""
    return {str(p.relative_to(SRC)): text_of(p) for p in sorted(SRC.rglob("*.sql"))
            if not NOT_THE_DAEMONS.search(str(p.relative_to(SRC))) and p.name != "indexes.sql"}


class Prepared:
    """Prepares statements by name, in a session of the schema's owner. Parts of statements are left
    out."""

    def __init__(self, session):
        self.session, self.texts, self.given = session, {}, {}
        # psycopg would drop our prepared statements together with its own
        session.prepare_threshold = None
        session.execute("SELECT set_config('search_path', 'pg_catalog, public, pg_temp', false)")

    def add(self, name, text):
        sql, names = numbered(text)
        number = len(self.given)
        try:
            self.session.execute(f'PREPARE "s{number}" AS {sql}'.encode())
        except Exception:
            return False
        self.texts[name], self.given[name] = sql, (number, len(names))
        return True

    def explain(self, name):
        number, n = self.given[name]
        arguments = f"({', '.join(['NULL'] * n)})" if n else ""
        self.session.execute(f'EXPLAIN EXECUTE "s{number}"{arguments}')

    def execute(self, name, arguments):
        """Executes it, as the session's role; ARGUMENTS: as SQL has them."""
        self.session.execute(f'EXECUTE "s{self.given[name][0]}"{f"({arguments})" if arguments else ""}')

    def may(self, name):
        """Whether the daemon's role has the rights that this statement needs."""
        self.session.execute("SAVEPOINT look")
        try:
            self.session.execute(f"SET LOCAL ROLE {ROLE}")
            self.explain(name)
            return True
        except psycopg.errors.InsufficientPrivilege:
            return False
        except psycopg.Error:
            return True  # unrelated to rights
        finally:
            self.session.execute("ROLLBACK TO look")

    def that_may_need(self, table, privilege):
        """Names of the statements that mention the table. Those that seem to need PRIVILEGE on it
        come first."""
        bare = table.split(".")[-1]
        named = re.compile(rf'\b{re.escape(bare)}\b')
        words = [re.compile(r.format(rf"(\w+\.)?{re.escape(bare)}"), re.I) for p, r in PAIRS if p.pattern == privilege]
        found = [name for name, sql in self.texts.items() if named.search(sql)]
        return sorted(found, key=lambda name: not any(w.search(self.texts[name]) for w in words))
