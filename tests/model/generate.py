"""Fills the application's tables with a small random instance in which the border cases are the
rule.

    t = generate(conn, seed, size=60)

empties the tables first. The rows are the same for the same seed, size and t. Returns t, the
scheduled time around which the dates lie. `size` is about the number of memberships.

`refusals`: a trigger refuses some deletions of members. The table `refusals` says which; load()
reads it.
`many_pages`: no bot expires in two places. Otherwise the second row could go with the bot or with
the next page.
"""

import datetime
import random

from psycopg import sql

from .generated.work import Work

REFUSALS = """
CREATE TABLE IF NOT EXISTS refusals (
    id bigserial PRIMARY KEY, table_name text NOT NULL, row_id bigint NOT NULL, silent boolean NOT NULL, message text NOT NULL);
CREATE OR REPLACE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    refusal refusals;
BEGIN
    SELECT * INTO refusal FROM refusals WHERE table_name = TG_TABLE_NAME AND row_id = OLD.id;
    IF refusal.silent THEN
        RETURN NULL;
    ELSIF refusal.id IS NOT NULL THEN
        RAISE EXCEPTION '%', refusal.message USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN OLD;
END $$;
DROP TRIGGER IF EXISTS refuse_deletion ON members;
CREATE TRIGGER refuse_deletion BEFORE DELETE ON members FOR EACH ROW EXECUTE FUNCTION refuse_deletion();
"""


def generate(conn, seed, size=60, t=None, refusals=False, many_pages=False):
    now = datetime.datetime.now(datetime.timezone.utc)
    t = t or now.replace(hour=0, minute=0, second=0, microsecond=0)
    instance = Instance(random.Random(f"{seed} {size}"), size, t)
    instance.make(refusals, many_pages)
    with conn.transaction():
        if refusals:
            conn.execute(REFUSALS)
        write(conn, instance.tables)
    return t


def write(conn, tables):
    """Removes what is there, then writes the rows; parents first."""
    with conn.cursor() as cursor:
        there = {next(iter(row.values())) if isinstance(row, dict) else row[0] for row in cursor.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")}
        if "refusals" in there:
            cursor.execute("DELETE FROM refusals")
        for table in reversed(list(tables)):
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        for table, rows in tables.items():
            write_rows(cursor, table, rows)


def write_rows(cursor, table, rows):
    columns = sorted({column for row in rows for column in row})
    if not rows:
        return
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    with cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)) as copy:
        for row in rows:
            copy.write_row([row.get(column) for column in columns])
    if "id" in columns:
        cursor.execute(sql.SQL("SELECT setval(pg_get_serial_sequence({}, 'id'), {})").format(
            sql.Literal(table), sql.Literal(max(row["id"] for row in rows))))


class Instance(Work):
    """The whole instance; each part needs the parts before it."""

    def make(self, refusals, many_pages):
        self.users()
        self.groups()
        self.projects()
        self.memberships()
        self.links()
        self.chains()
        self.side_effects()
        self.authorizations()
        self.writings()
        self.schedules()
        if many_pages:
            self.let_bots_expire_once()
        self.placeholders()
        self.files()
        if refusals:
            self.refusals()
