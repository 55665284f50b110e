"""The application's rows made by hand, for tests of single rules."""

import datetime
import itertools

import pytest

from model.builder import Builder
from stack.found import PROJECT

from .scene import tick_id

UTC = datetime.timezone.utc
# The primary keys that are not called id.
KEYS = {"namespace_details": "namespace_id", "group_deletion_schedules": "group_id", "project_authorizations": "project_id",
        "issue_assignees": "issue_id"}

# Runs that waited longer than lock_timeout, or met a deadlock. They would be due again, uncharged,
# within seconds; this makes them due now.
HELD_UP = r"UPDATE pruned.runs SET due_at = now() WHERE state IN ('waiting', 'ready') AND error ~ '\[(55P03|40P01)\]'"


def day_of(when):
    return when.astimezone(UTC).date()


class Instance(Builder):
    """Rows of the application in PostgreSQL. `at`: the moment that its days are counted from."""

    def __init__(self, database, at=None):
        self.database = database
        self.at = at or datetime.datetime.now(UTC).replace(microsecond=0) - datetime.timedelta(minutes=1)
        self._numbers = itertools.count(1)

    @property
    def today(self):
        return day_of(self.at)

    def put(self, table, **row):
        names = ", ".join(row)
        values = ", ".join(f"%({name})s" for name in row)
        return self.database.value(f"INSERT INTO {table} ({names}) VALUES ({values}) RETURNING {KEYS.get(table, 'id')}", row)

    def find(self, table, **where):
        condition = " AND ".join(f"{name} = %({name})s" for name in where)
        return self.database.row(f"SELECT * FROM {table} WHERE {condition}", where)

    def new_id(self, table):
        return self.database.value("SELECT nextval(pg_get_serial_sequence(%s, 'id'))", [table])

    def new_name(self):
        return f"user{next(self._numbers)}"

    def row(self, table, id, key="id"):
        return self.find(table, **{key: id})

    def ids(self, table, condition="true", key="id"):
        return self.database.column(f"SELECT {key} FROM {table} WHERE {condition} ORDER BY 1")

    def path(self, kind, id):
        """The full path of a group (KIND Namespace) or a project (Project)."""
        return self.find("routes", source_type=kind, source_id=id)["path"]

    def placeholder(self, attempts=0, last=None, namespace=None, user=None, **more):
        """Returns (detail, user)."""
        user = user or self.user(user_type=15)
        return self.detail(user, attempts, last, namespace, **more), user


class Tenant(Instance):
    """An Instance with an installation, which works when the test says so."""

    def __init__(self, pruned):
        super().__init__(pruned.database)
        self.pruned = pruned
        self.daemons = []

    @classmethod
    def of(cls, tenant):
        """The same tenant as a subclass. It declares the fields that a fixture sets and its tests
        read."""
        self = cls.__new__(cls)
        self.__dict__ = tenant.__dict__
        return self

    def tick(self, job, at=None, **settings):
        """Sends a tick and does all work that is due. Returns the tick's run. Settings are given
        like `groups_destroy__batch`."""
        at = at or self.at
        self.pruned.topics.tick(job, at)
        self.work(settings)
        return self.pruned.run_row(tick_id(job, at))

    def work(self, settings=None):
        """Does all work that is due, including runs that could not get a lock in time, because a
        test machine may stand still for seconds."""
        self.daemons = [self.pruned.run_until_idle(settings=settings)]
        while self.database.execute(HELD_UP).rowcount:
            self.daemons.append(self.pruned.run_until_idle(settings=settings))

    def emit(self, record, ce_time=None, **content):
        self.pruned.topics.event(record, content, ce_time=ce_time or self.at)

    def runs(self, job=None):
        return self.database.rows("SELECT * FROM pruned.runs WHERE job = coalesce(%s, job) ORDER BY due_at, created_at", [job])

    def children(self, run):
        return self.database.rows("SELECT * FROM pruned.runs WHERE parent_id = %s ORDER BY due_at, unique_key", [run["run_id"]])

    def outcomes(self, record):
        """Contents, without run and step."""
        return [{k: v for k, v in m.value.items() if k not in ("run_id", "step")}
                for m in self.pruned.topics.outcomes(record)]

    def lines(self, message=None, **fields):
        """Log lines of the daemon that worked last."""
        return [line for daemon in self.daemons for line in daemon.lines(message, **fields)]


def built_in(setting):
    """Whether the setting belongs to no job of the tests' own."""
    folders = (p.parent.name for p in (PROJECT / "src/jobs").glob("*/job.conf"))
    return setting == "topics.partitions" or setting.rpartition(".")[0] in {f"jobs.{name}" for name in folders}


@pytest.fixture
def tenant(new_pruned, database, topics, scene_settings):
    """An installation without schedules, on an instance with a ghost user and nothing else."""
    pruned = new_pruned(database, topics, settings={k: v for k, v in scene_settings.items() if built_in(k)})
    pruned.make_topics()
    one = Tenant(pruned)
    one.user(user_type=5, username="ghost")
    return one
