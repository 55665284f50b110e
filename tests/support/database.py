"""A database for each test, copied from a template, with short methods for queries."""

import contextlib
import itertools
import os
import shutil
import subprocess

import psycopg
from psycopg import conninfo, sql
from psycopg.rows import dict_row

from stack.found import pg_bin
from stack.pair import Pair, new_folder
from stack.postgres import Postgres
from stack.process import wait_until

from .places import APP_TABLES, ROLE, binary

_numbers = itertools.count(1)
_kept = {}  # by address


def with_database(url, name, user=None):
    parts = conninfo.conninfo_to_dict(url)
    return f"postgresql://{user or parts['user']}@{parts['host']}:{parts['port']}/{name}"


def connect(url):
    # Tests write times in UTC; the server's own time zone is a different one on purpose.
    return psycopg.connect(url, autocommit=True, row_factory=dict_row, options="-c timezone=UTC")


@contextlib.contextmanager
def administer(server_url):
    """A connection that makes and drops databases. The one to the server of all tests is kept: a
    session costs PostgreSQL more than most of what a test asks."""
    if server_url != os.environ.get(Pair.POSTGRES):
        with connect(server_url) as server:
            yield server
        return
    if server_url not in _kept or _kept[server_url].closed:
        _kept[server_url] = connect(server_url)
    yield _kept[server_url]


def copied_by(server):
    """Files are copied several times faster than pages. PostgreSQL 14 knows no other way."""
    return "STRATEGY file_copy" if server.info.server_version >= 150000 else ""


def make_role(server_url):
    """Makes the role that the daemon runs as. It has the rights that `pruned grants` prints and no
    others."""
    with connect(server_url) as server:
        known = server.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone()
        if known is None:
            server.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(ROLE)))


@contextlib.contextmanager
def private_server(name, **options):
    """A PostgreSQL of one's own, with the daemon's role."""
    folder = new_folder(f"pruned-{name}-")
    server = Postgres(folder / "postgres", **options).start()
    make_role(server.url())
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


class Database:
    """`execute`, `rows`, `row`, `value` run as superuser; `role_url` is what the daemon gets."""

    def __init__(self, server_url, template=None, label="test"):
        self.server_url = server_url
        self.name = f"{label}_{os.getpid()}_{next(_numbers)}"
        with administer(server_url) as server:
            server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} {}").format(
                sql.Identifier(self.name), sql.Identifier(template or "template0"), sql.SQL(copied_by(server))))
        self.url = with_database(server_url, self.name)
        self.role_url = with_database(server_url, self.name, ROLE)
        self._connection = None

    @classmethod
    def nowhere(cls, server_url):
        """A Database for tests that need none: it is never used."""
        self = cls.__new__(cls)
        self.name = self.url = self.role_url = server_url
        return self

    @property
    def connection(self):
        if self._connection is None or self._connection.closed:
            self._connection = connect(self.url)
        return self._connection

    def connect(self):
        """Another connection, for a concurrent transaction. A context manager."""
        return connect(self.url)

    def execute(self, statement, parameters=None):
        return self.connection.execute(statement, parameters)

    def executemany(self, statement, parameters):
        with self.connection.cursor() as cursor:
            cursor.executemany(statement, parameters)

    def rows(self, statement, parameters=None):
        return self.execute(statement, parameters).fetchall()

    def row(self, statement, parameters=None):
        return self.execute(statement, parameters).fetchone()

    def value(self, statement, parameters=None):
        row = self.row(statement, parameters)
        return None if row is None else next(iter(row.values()))

    def column(self, statement, parameters=None):
        return [next(iter(row.values())) for row in self.rows(statement, parameters)]

    def wait_settled(self):
        """Waits until all transactions of the server that were open when this began have ended:
        whoever looks from then on sees whatever was written before."""
        now = self.value("SELECT pg_current_xact_id()::text::bigint")
        self.wait("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > %s", [now], deadline_s=120)

    def wait(self, statement, parameters=None, *, until=None, deadline_s=30):
        """Waits until the value of STATEMENT is true, or UNTIL (a value or a function) accepts it.
        Returns the value."""
        seen = []

        def fact():
            value = self.value(statement, parameters)
            seen[:] = [value]
            if until is None:
                return [value] if value else None
            return [value] if (until(value) if callable(until) else value == until) else None

        return wait_until(fact, deadline_s, lambda: f"{statement} {parameters or ''}, last: {seen}")[0]

    def load(self, path):
        self.connection.execute(path.read_text())

    def grants(self, *settings):
        """The SQL that `pruned grants` prints, with further settings (`run.jobs=none`)."""
        overrides = [word for setting in (f"postgres.url={self.url}", *settings) for word in ("-s", setting)]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PRUNED_")}
        return subprocess.run([binary(), "-c", "/dev/null", *overrides, "grants", "--role", ROLE], env=kept, check=True, text=True,
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL).stdout

    def grant(self, *settings):
        """Applies it as its reader would, with psql."""
        subprocess.run([pg_bin() / "psql", "-q", "-v", "ON_ERROR_STOP=1", self.url], check=True, text=True, input=self.grants(*settings))

    def let_copies_be(self):
        """A template: else each copy would have to be told which of the two it is."""
        self.execute("UPDATE pruned.identity SET system_identifier = NULL, database_oid = NULL")

    def close(self):
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def drop(self):
        self.close()
        with administer(self.server_url) as server:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(
                sql.Identifier(self.name)))


class Templates:
    """The templates of test databases. They are made once per server and run of pytest, by the
    worker that needs them first."""

    def __init__(self, server_url, migrate, run):
        self.server_url, self._migrate, self._run = server_url, migrate, run
        self._names = {}

    def app(self):
        """The application's tables, no schema pruned."""
        return self._once("app", self._make_app)

    def migrated(self):
        """The application's tables after `pruned migrate` and the grants."""
        return self._once("migrated", self._make_migrated)

    def drop(self):
        with connect(self.server_url) as server:
            for kind in ("app", "migrated"):
                server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(self._name(kind))))

    def _name(self, kind):
        return f"template_{kind}_{self._run}"

    def _once(self, kind, make):
        """The name of a template. It appears under its name when it is whole; the lock ends with
        the connection."""
        if kind not in self._names:
            name = self._name(kind)
            with connect(self.server_url) as server:
                server.execute("SELECT pg_advisory_lock(hashtext(%s))", [name])
                if server.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
                    made = make()
                    made.close()
                    server.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                        sql.Identifier(made.name), sql.Identifier(name)))
            self._names[kind] = name
        return self._names[kind]

    def _make_app(self):
        made = Database(self.server_url, label="template_app")
        made.load(APP_TABLES)
        return made

    def _make_migrated(self):
        made = Database(self.server_url, self.app(), label="template_migrated")
        self._migrate(made)
        made.grant()
        made.let_copies_be()
        return made
