"""The servers of the measurements: a private PostgreSQL that writes as in production, and a private
Kafka, for the real binary."""

import itertools
import os
import shutil
from contextlib import contextmanager

from stack.kafka import Kafka
from stack.pair import new_folder
from stack.postgres import Postgres
from support.database import Database, connect, make_role
from support.places import APP_TABLES, PROJECT
from support.pruned import Pruned
from support.topics import Topics

JOBS = PROJECT / "tests/bench/jobs"
# Every commit reaches the disk; the rest suits a small server.
SETTINGS = """
fsync = on
jit = on
full_page_writes = on
synchronous_commit = on
shared_buffers = 512MB
effective_cache_size = 4GB
work_mem = 16MB
maintenance_work_mem = 256MB
max_wal_size = 8GB
checkpoint_timeout = 15min
random_page_cost = 1.1
shared_preload_libraries = 'pg_stat_statements, auto_explain'
timezone = 'UTC'
"""

# Above everything that is measured, so that each run is counted to its end and none is held.
LIMITS = {"max_rows": 10**9, "max_rows_per_day": 10**9, "max_share": "100 %", "max_ratio": 10**6}

_numbers = itertools.count(1)


class WritingPostgres(Postgres):
    def _init(self):
        super()._init()
        with open(self.folder / "data/postgresql.conf", "a") as conf:
            conf.write(SETTINGS)


class Stage:
    def __init__(self):
        self.folder = new_folder("pruned-bench-", on_disk=True)
        self.postgres = self.kafka = None
        try:
            self.kafka = Kafka(self.folder / "kafka", lasts=True)
            self.kafka.launch()
            self.postgres = WritingPostgres(self.folder / "postgres")
            self.postgres.start()
            self.kafka.wait_ready()
            make_role(self.postgres.url())
        except BaseException:
            self.close()
            raise

    def close(self):
        for server in (self.postgres, self.kafka):
            if server is not None:
                server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- where PostgreSQL's time goes

    def forget_statements(self):
        with connect(self.postgres.url()) as server:
            server.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
            server.execute("SELECT pg_stat_statements_reset()")

    def time_plans(self):
        with connect(self.postgres.url()) as server:
            server.execute("ALTER SYSTEM SET pg_stat_statements.track_planning = on")
            server.execute("SELECT pg_reload_conf()")

    def statements(self, limit=40):
        """The most expensive statements since forget_statements: (milliseconds planned and run,
        calls, rows, buffers, text)."""
        with connect(self.postgres.url()) as server:
            return [tuple(row.values()) for row in server.execute(
                "SELECT total_plan_time, total_exec_time, calls, rows, shared_blks_hit + shared_blks_read AS buffers,"
                " regexp_replace(query, '\\s+', ' ', 'g') FROM pg_stat_statements"
                " ORDER BY total_plan_time + total_exec_time DESC LIMIT %s", [limit])]

    # --- databases

    def template(self, fill):
        """A database with the application's tables, the schema `pruned`, the rows of FILL, and
        fresh statistics."""
        database = Database(self.postgres.url(), label="template")
        database.load(APP_TABLES)
        self._pruned(database, {}).migrate("--indexes")
        database.let_copies_be()
        database.grant()
        fill(database)
        database.execute("VACUUM (FREEZE, ANALYZE)")
        database.execute("CHECKPOINT")
        database.close()
        return database

    def copy(self, template):
        database = Database(self.postgres.url(), template.name, label="bench")
        database.execute("CHECKPOINT")
        return database

    # --- installations

    def _pruned(self, database, settings, program=None):
        number = next(_numbers)
        folder = self.folder / f"run-{number}"
        folder.mkdir()
        topics = Topics(self.kafka.bootstrap, f"bench-{os.getpid()}-{number}")
        pruned = Pruned(folder, database, topics, {"run.jobs_dir": JOBS} | settings)
        if program is not None:
            pruned.binary = program
        return pruned

    @contextmanager
    def installation(self, template, settings=None, defaults=False, program=None):
        """A copy of TEMPLATE, topics of its own and a binary; all are removed afterwards. Schedules
        are off: the measurement sends the ticks. With DEFAULTS the jobs have their schedules and
        limits. PROGRAM: another binary."""
        database = self.copy(template)
        pruned = self._pruned(database, settings or {}, program)
        if not defaults:
            jobs = [row["job"] for row in pruned.run("jobs", "--json").ok().json()]
            pruned.settings |= {f"jobs.{job}.schedule": "off" for job in jobs}
            pruned.settings |= {f"jobs.{job}.{limit}": value for job in jobs for limit, value in LIMITS.items()}
            # else the time of a run depends on when autovacuum comes
            pruned.settings["throttle.lock_waiters"] = "off"
        pruned.run("topics", "--apply", deadline_s=300).ok()
        try:
            yield pruned
        finally:
            complaints = pruned.close()
            pruned.topics.remove()
            database.drop()
        if complaints:
            raise RuntimeError("\n".join(complaints))
