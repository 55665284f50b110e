"""A table of the tests' own and jobs over it (tests/jobs), for guarantees that the engine gives to
every job."""

import datetime
import json
import signal
import uuid

from stack.found import PROJECT
from stack.process import wait_until

from .places import ROLE

JOBS = PROJECT / "tests/jobs"
NAMESPACE = uuid.UUID("7fecac87-579a-560b-ad38-6378e9e225c0")
UTC = datetime.timezone.utc

# Few partitions, so that topics are made fast.
# A short session, so that a killed process is noticed soon.
SETTINGS = {"run.jobs_dir": JOBS, "topics.partitions": 1, "kafka.session.timeout.ms": 6000}

TABLES = """
CREATE TABLE scratch (id bigint PRIMARY KEY, day date NOT NULL DEFAULT '2026-01-01', note text);
CREATE TABLE scratch_log (id bigint PRIMARY KEY, slot int, began_at timestamptz, ended_at timestamptz);
CREATE FUNCTION scratch_ended() RETURNS timestamptz LANGUAGE plpgsql AS
  $$ BEGIN PERFORM pg_sleep(0.02); RETURN clock_timestamp(); END $$;
GRANT SELECT, UPDATE, DELETE ON scratch TO {role};
GRANT SELECT, INSERT ON scratch_log TO {role};
"""


def make_settings(pruned):
    """Settings without schedules; each built-in job has one partition."""
    own = {p.name for p in JOBS.iterdir()}
    made = dict(SETTINGS)
    for line in pruned.run("config", "--json", settings={"run.jobs_dir": JOBS}).ok().json():
        section, _, key = line["key"].rpartition(".")
        if section.startswith("jobs.") and key == "schedule":
            made[line["key"]] = "off"
        if section.startswith("jobs.") and key == "capacity" and section[5:] not in own:
            made[line["key"]] = 1
    return made


def make_tables(database):
    database.connection.execute(TABLES.format(role=ROLE))


def fill(database, n, day="2026-01-01", first=1):
    """Adds the rows FIRST to FIRST + N - 1, all of one day."""
    database.execute("INSERT INTO scratch SELECT i, %s::date, 'row ' || i FROM generate_series(%s::bigint, %s::bigint) i",
                     [day, first, first + n - 1])


# A trigger that refuses to delete rows, with an error or silently.

def refuse_rows(database, condition, how="RAISE EXCEPTION 'row % stays', OLD.id", table="scratch"):
    database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF {condition} THEN {how}; END IF; RETURN OLD; END $$;
        DROP TRIGGER IF EXISTS {table}_refuse ON {table};
        CREATE TRIGGER {table}_refuse BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_refuse()""")


def let_rows_go(database, table="scratch"):
    database.connection.execute(f"DROP TRIGGER {table}_refuse ON {table}")


# Identities, computed independently from the contract (docs/messages.md).

def micros(when):
    return (when - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(microseconds=1)


def beside_jobs(folder):
    """A jobs_dir with the jobs of the tests, for others beside them."""
    folder.mkdir(exist_ok=True)
    for there in JOBS.iterdir():
        if not (folder / there.name).exists():
            (folder / there.name).symlink_to(there)
    return folder


def tick_id(job, when, args_text="{}"):
    at = when if isinstance(when, int) else micros(when)
    return str(uuid.uuid5(NAMESPACE, f"tick/{job}/{at}/{args_text}"))


def event_id(source, ce_id, job):
    return str(uuid.uuid5(NAMESPACE, f"event/{source}/{ce_id}/{job}"))


def child_id(parent, job, key):
    return str(uuid.uuid5(NAMESPACE, f"child/{parent}/{job}/{key}"))


def outcome_id(run_id, step, record, entity):
    return str(uuid.uuid5(uuid.UUID(str(run_id)), f"{step}/{record}/{entity}"))


def now(**delta):
    """The current time plus DELTA, cut to milliseconds as Kafka cuts it."""
    when = datetime.datetime.now(UTC) + datetime.timedelta(**delta)
    return when.replace(microsecond=when.microsecond // 1000 * 1000)


BESIDE = ("others", "tables")


def result(row):
    """The result of a run, as Python (psycopg decodes jsonb), without what changed in other tables
    (test_rows_beside.py)."""
    whole = row["result"] if not isinstance(row["result"], str) else json.loads(row["result"])
    return whole and {name: value for name, value in whole.items() if name not in BESIDE}


# A daemon that works, a tick for it, and other settings for it.

def start(scene, n=1, fault=None):
    """N daemons, the first one with this FAULT."""
    daemons = [scene.start(environment={"PRUNED_FAULT": fault} if fault and i == 0 else None) for i in range(n)]
    for daemon in daemons:
        daemon.wait_line("Partitions assigned")
    return daemons


def send_tick(scene, job="scratch.remove", args=None, **ago):
    """The id of its run."""
    at = now(**(ago or {"minutes": -1}))
    scene.topics.tick(job, at, args)
    return tick_id(job, at, json.dumps(args or {}, sort_keys=True, separators=(",", ":")))


def due_now(database, run_id=None):
    """Ends the pause of a run that waits, or of all."""
    database.execute("UPDATE pruned.runs SET due_at = clock_timestamp() WHERE state = 'waiting' AND run_id = coalesce(%s, run_id)", [run_id])


def wait_hurried(scene, run_id):
    """Waits until the run has ended; its pauses end at once. Returns its row."""

    def ended():
        due_now(scene.database, run_id)
        row = scene.run_row(run_id)
        return row if row and row["finished_at"] else None

    return wait_until(ended, 60, lambda: f"the end of {scene.run_row(run_id)}")


def hours(begin, end):
    """For `not_between`: from BEGIN to END minutes from now."""
    return "-".join(f"{now(minutes=minutes):%H:%M}" for minutes in (begin, end)) + " UTC"


def configure(scene, text, *daemons):
    """The configuration file is TEXT from now on, also for these daemons."""
    scene.configuration.write_text(text)
    reloaded = "Configuration reloaded"
    counts = [len(daemon.lines(reloaded)) for daemon in daemons]
    for daemon in daemons:
        daemon.send(signal.SIGHUP)
    for daemon, count in zip(daemons, counts):
        daemon.wait_line(reloaded, count=count + 1)
