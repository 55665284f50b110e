"""Steps that take long, and how to see that one is under way."""

LONGEST_S = 10  # well below statement_timeout


def slow_rows(database, seconds, condition="true", table="scratch"):
    """Each deletion of such a row takes that long; the first is only counted from when wait_in_flight has seen it, so that who looks late
    does not miss it."""
    database.connection.execute(f"""
        DROP SEQUENCE IF EXISTS slow_seen;
        CREATE SEQUENCE slow_seen;
        GRANT SELECT ON slow_seen TO PUBLIC;
        CREATE OR REPLACE FUNCTION {table}_slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF {condition} THEN
            WHILE NOT (SELECT is_called FROM public.slow_seen) AND clock_timestamp() < statement_timestamp() + interval '{LONGEST_S} s' LOOP
              PERFORM pg_sleep(0.01);
            END LOOP;
            PERFORM pg_sleep({seconds});
          END IF;
          RETURN OLD;
        END $$;
        DROP TRIGGER IF EXISTS {table}_slow ON {table};
        CREATE TRIGGER {table}_slow BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_slow()""")


def quick_rows(database, table="scratch"):
    database.connection.execute(f"DROP TRIGGER {table}_slow ON {table}")


def hold_rows(database, condition, table="scratch"):
    """Each deletion of such a row waits until they are let go: for as long as a statement may take, and not for a lock."""
    database.connection.execute(f"""
        CREATE TABLE {table}_held AS SELECT true AS held;
        CREATE FUNCTION {table}_hold() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
          $$ BEGIN WHILE {condition} AND EXISTS (SELECT FROM public.{table}_held) LOOP PERFORM pg_sleep(0.02); END LOOP; RETURN OLD; END $$;
        CREATE TRIGGER {table}_hold BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_hold()""")


def let_held_rows_go(database, table="scratch"):
    database.connection.execute(f"DELETE FROM {table}_held")


def wait_in_flight(database):
    """Returns when a statement is at such a row."""
    database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
    database.execute("SELECT nextval('slow_seen')")
