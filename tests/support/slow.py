"""Steps that take long, and how to see that one is under way."""


def slow_rows(database, seconds, condition="true", table="scratch"):
    """Each deletion of such a row takes that long."""
    database.connection.execute(f"""
        CREATE OR REPLACE FUNCTION {table}_slow() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN IF {condition} THEN PERFORM pg_sleep({seconds}); END IF; RETURN OLD; END $$;
        DROP TRIGGER IF EXISTS {table}_slow ON {table};
        CREATE TRIGGER {table}_slow BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_slow()""")


def quick_rows(database, table="scratch"):
    database.connection.execute(f"DROP TRIGGER {table}_slow ON {table}")


def wait_in_flight(database):
    """Returns when a statement sleeps in such a row."""
    database.wait("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'")
