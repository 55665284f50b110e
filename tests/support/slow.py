"""Makes steps slow, and waits until one is under way."""

from stack.process import wait_until

# How long to sleep: until the server cancels the statement, which it does after 15 s. What nothing
# would cancel does not sleep.
ENDLESS_S = "(CASE pg_catalog.current_setting('statement_timeout') WHEN '15s' THEN 60 END)"
CANCEL = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"


def slow_rows(database, seconds, condition="true", table="scratch"):
    """Each deletion of such a row takes that long. The first one ends that long after
    wait_in_flight has seen it, so that a slow test does not miss it."""
    _hold(database, seconds, condition, table, until_seen=True)


def hold_rows(database, condition, table="scratch"):
    """Each deletion of such a row waits until the test lets it go. It does not wait for a lock:
    only the statement timeout ends it."""
    _hold(database, 0, condition, table, until_seen=False)


def let_held_rows_go(database):
    database.connection.execute("DELETE FROM held_rows")


def quick_rows(database, table="scratch"):
    database.connection.execute(f"DROP TRIGGER {table}_slow ON {table}")


def wait_asleep(database):
    """Returns when a statement sleeps."""
    database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")


def wait_in_flight(database):
    """Returns when a statement has reached such a row."""
    wait_asleep(database)
    database.connection.execute("DELETE FROM held_rows WHERE until_seen")


def quick_table(database, table):
    database.connection.execute(f"DROP TRIGGER slow_{table.replace('.', '_')} ON {table}")


def cancel_until(database, statement, parameters=None):
    """Cancels each statement that sleeps, as the server would after 15 s, until that of STATEMENT
    is true."""
    wait_until(lambda: [database.execute(CANCEL), database.value(statement, parameters)][1], 60, statement)


def _hold(database, seconds, condition, table, *, until_seen):
    database.connection.execute(f"""
        DROP TABLE IF EXISTS held_rows;
        CREATE TABLE held_rows AS SELECT {until_seen} AS until_seen;
        CREATE OR REPLACE FUNCTION {table}_slow() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
          IF {condition} THEN
            WHILE EXISTS (SELECT FROM public.held_rows) LOOP PERFORM pg_sleep(0.02); END LOOP;
            PERFORM pg_sleep({seconds});
          END IF;
          RETURN OLD;
        END $$;
        DROP TRIGGER IF EXISTS {table}_slow ON {table};
        CREATE TRIGGER {table}_slow BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_slow()""")


def slow_table(database, table, seconds, when="DELETE", condition="true"):
    """From now on each row of the table takes that long."""
    name = table.replace(".", "_")
    database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION slow_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          PERFORM pg_sleep({seconds}); RETURN coalesce(NEW, OLD); END $$;
        CREATE OR REPLACE TRIGGER slow_{name} BEFORE {when} ON {table} FOR EACH ROW WHEN ({condition})
          EXECUTE FUNCTION slow_{name}()""")
