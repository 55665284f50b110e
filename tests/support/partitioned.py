"""A table `logs` with partitions, and the job `logs.old` that drops old ones."""

import datetime

from .places import ROLE
from .scene import now

T = now().replace(hour=0, minute=0, second=0, microsecond=0)
OLD = [("logs_1", "2024-01-01", "2024-02-01"), ("logs_2", "2024-02-01", "2024-03-01"), ("logs_3", "2024-03-01", "2024-04-01")]


def day(days, **more):
    return (T - datetime.timedelta(days=days, **more)).isoformat()


def own(house):
    """The daemon's role owns what it drops."""
    house.sql(f"""DO $$ DECLARE one regclass; BEGIN
        FOR one IN SELECT oid FROM pg_class WHERE relkind IN ('r', 'p', 'v') AND relnamespace NOT IN ('pg_catalog'::regnamespace,
          'information_schema'::regnamespace, 'pruned'::regnamespace, 'pg_toast'::regnamespace)
        LOOP EXECUTE format('ALTER TABLE %s OWNER TO {ROLE}', one); END LOOP; END $$""")


def make(house, parts=OLD, type="timestamptz", default=False, rows=2):
    """A table `logs` of these partitions, each with some rows at its lower bound."""
    house.sql(f"CREATE TABLE logs (id int, at {type} NOT NULL) PARTITION BY RANGE (at)")
    for name, lower, upper in parts:
        house.sql(f"CREATE TABLE {name} PARTITION OF logs FOR VALUES FROM ({bound(lower)}) TO ({bound(upper)})")
        if lower != "MINVALUE":
            house.sql(f"INSERT INTO logs SELECT n, {bound(lower)} FROM generate_series(1, {rows}) n")
    if default:
        house.sql("CREATE TABLE logs_rest PARTITION OF logs DEFAULT; INSERT INTO logs VALUES (0, '1999-01-01')")
    house.sql("ANALYZE logs")
    own(house)


def bound(text):
    return text if text in ("MINVALUE", "MAXVALUE") else f"'{text}'"


def say(house, age="90 days", more=""):
    house.say("logs.old", f"table = logs\ndrop_partitions_older_than = {age}\ndelay_ms = 0\n{more}")


def left(house, table="logs"):
    return house.database.column(f"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = '{table}'::regclass ORDER BY 1")


def tables(house, like="logs%"):
    return house.database.column("SELECT relname::text FROM pg_class WHERE relname LIKE %s AND relkind IN ('r', 'p') ORDER BY 1", [like])


def noted(house):
    return house.rows("pruned.partitions", "name")
