"""A table of the tests' own and jobs over it (tests/jobs), for what the engine promises to every job."""

import datetime
import json
import uuid

from stack.found import PROJECT

from .places import ROLE

JOBS = PROJECT / "tests/jobs"
NAMESPACE = uuid.UUID("7fecac87-579a-560b-ad38-6378e9e225c0")
UTC = datetime.timezone.utc

# As few partitions as possible: a test wants its topics at once.
# And a short time until a killed process is missed.
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
    """Settings in which no schedule starts anything and the built-in jobs have one partition each."""
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
    """Rows FIRST .. FIRST + N - 1, all of one day."""
    database.execute("INSERT INTO scratch SELECT i, %s::date, 'row ' || i FROM generate_series(%s::bigint, %s::bigint) i",
                     [day, first, first + n - 1])


# The trigger that refuses rows: by an error or by silence.

def refuse_rows(database, condition, how="RAISE EXCEPTION 'row % stays', OLD.id", table="scratch"):
    database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF {condition} THEN {how}; END IF; RETURN OLD; END $$;
        DROP TRIGGER IF EXISTS {table}_refuse ON {table};
        CREATE TRIGGER {table}_refuse BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_refuse()""")


def let_rows_go(database, table="scratch"):
    database.connection.execute(f"DROP TRIGGER {table}_refuse ON {table}")


# Identities, computed a second time from the contract (docs/messages.md).

def micros(when):
    return (when - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(microseconds=1)


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
    """The present, or DELTA from it, cut to milliseconds as Kafka would."""
    when = datetime.datetime.now(UTC) + datetime.timedelta(**delta)
    return when.replace(microsecond=when.microsecond // 1000 * 1000)


def result(row):
    """Of a run: psycopg gives jsonb as Python."""
    return row["result"] if not isinstance(row["result"], str) else json.loads(row["result"])
