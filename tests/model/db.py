"""A database as plain Python: a dict of tables, each a dict from primary key to row.

Rows are dicts. A key is the value of the primary key, or a tuple if it has several columns. Foreign
keys act as PostgreSQL makes them act; nothing else happens by itself.
"""

import copy
from dataclasses import dataclass

from psycopg import sql
from psycopg.rows import dict_row, tuple_row

DIRTY = "pruned.dirty_users"
QUARANTINE = "pruned.quarantine"
# Tables of the service that the model knows. The others record the way, not the result.
OURS = {DIRTY: ("user_id", "kind"), QUARANTINE: ("job", "item")}

# Written where a rule says "now": it equals no earlier value.
NOW = "some moment of this run"


class Refused(Exception):
    """The database refused one row: by a constraint or a trigger."""


@dataclass(frozen=True)
class ForeignKey:
    table: str
    column: str
    to_table: str
    action: str  # cascade, set null, restrict


class Db:
    def __init__(self, primary_keys, foreign_keys=(), unique_keys=None):
        self.primary_keys = {**OURS, **primary_keys}
        self.foreign_keys = list(foreign_keys)
        self.unique_keys = unique_keys or {}
        self.tables = {name: {} for name in self.primary_keys}
        self.columns = {}
        self.inserted = set()  # (table, key) of rows that the model made
        self.refused = {}      # (table, key) -> message: a trigger refuses the deletion

    def copy(self):
        return copy.deepcopy(self)

    def key(self, table, row):
        columns = self.primary_keys[table]
        return row[columns[0]] if len(columns) == 1 else tuple(row[c] for c in columns)

    def has_column(self, table, column):
        return table in self.tables and column in self.columns.get(table, ())

    def rows(self, table, **where):
        """All rows, or those with these values, by primary key. A list, so that the caller may
        delete rows while it iterates."""
        found = [r for r in self.tables.get(table, {}).values() if all(r[c] == v for c, v in where.items())]
        return sorted(found, key=lambda row: self.key(table, row))

    def get(self, table, key):
        return self.tables.get(table, {}).get(key)

    def put(self, table, row):
        """Adds a row that was there before the job: for builders."""
        self.columns.setdefault(table, set()).update(row)
        self.tables[table][self.key(table, row)] = row
        return row

    def insert(self, table, **row):
        """Adds a row that the job makes, with the columns that a rule determines; the other columns
        may have any value."""
        for column in self.primary_keys[table]:
            row.setdefault(column, f"new {len(self.inserted)}")
        key = self.key(table, row)
        self.tables[table][key] = row
        self.inserted.add((table, key))
        return row

    def delete(self, table, row):
        """Deletes one row and applies the foreign keys that refer to it."""
        key = self.key(table, row)
        if (table, key) in self.refused:
            raise Refused(self.refused[table, key])
        for foreign in self.foreign_keys:
            if foreign.to_table == table:
                self._follow(foreign, row)
        self.tables[table].pop(key, None)

    def _follow(self, foreign, row):
        if foreign.table not in self.tables:
            return
        for pointing in self.rows(foreign.table, **{foreign.column: row["id"]}):
            if foreign.action == "cascade":
                self.delete(foreign.table, pointing)
            elif foreign.action == "set null":
                pointing[foreign.column] = None
            else:
                raise Refused(f"{foreign.table}.{foreign.column} still refers to {row['id']}")

    def delete_where(self, table, **where):
        rows = self.rows(table, **where)
        for row in rows:
            self.delete(table, row)
        return rows

    def breaks_unique_key(self, table, row, column, value):
        """Whether that value would break a unique key."""
        for columns in self.unique_keys.get(table, ()):
            wanted = {c: row[c] for c in columns} | {column: value}
            if column not in columns or None in wanted.values():
                continue
            if any(other is not row for other in self.rows(table, **wanted)):
                return True
        return False


def load(conn, schema="public"):
    """The whole content of the application's schema, and of our own tables that the model knows."""
    with conn.cursor(row_factory=tuple_row) as cursor:
        cursor.execute("SET TIME ZONE 'UTC'")
        db = Db(_keys(cursor, schema, primary=True), _foreign_keys(cursor, schema))
        db.unique_keys = _keys(cursor, schema, primary=False)
        ours = [row[0] for row in cursor.execute(
            "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname = 'pruned'")]
    for table in db.primary_keys:
        if table in OURS and table not in ours:
            continue
        name = table.split(".") if table in OURS else (schema, table)
        with conn.cursor(row_factory=dict_row) as cursor:
            cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(*name)))
            db.columns[table] = {column.name for column in cursor.description}
            for row in cursor:
                db.tables[table][db.key(table, row)] = row
    _load_refusals(db)
    return db


def _load_refusals(db):
    """Turns generate.py's table of refusals into a rule of the model."""
    for row in db.tables.pop("refusals", {}).values():
        db.refused[row["table_name"], row["row_id"]] = row["message"]
    db.primary_keys.pop("refusals", None)


def _keys(cursor, schema, primary):
    """Primary keys: table -> columns. Else unique keys: table -> list of columns; partial and
    expression indexes are ignored."""
    cursor.execute("""
        SELECT c.relname, array_agg(a.attname ORDER BY k.position)
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = %s
        CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k (attnum, position)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
        WHERE i.indisunique AND i.indisprimary = %s AND i.indpred IS NULL AND i.indexprs IS NULL
        GROUP BY i.indexrelid, c.relname ORDER BY c.relname""", [schema, primary])
    if primary:
        return {table: tuple(columns) for table, columns in cursor}
    keys = {}
    for table, columns in cursor:
        keys.setdefault(table, []).append(tuple(columns))
    return keys


def _foreign_keys(cursor, schema):
    cursor.execute("""
        SELECT c.relname, a.attname, r.relname, f.confdeltype
        FROM pg_constraint f
        JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class r ON r.oid = f.confrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = %s
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = f.conkey[1]
        WHERE f.contype = 'f' AND cardinality(f.conkey) = 1 ORDER BY f.conname""", [schema])
    actions = {"c": "cascade", b"c": "cascade", "n": "set null", b"n": "set null"}
    return [ForeignKey(t, column, to, actions.get(action, "restrict")) for t, column, to, action in cursor]


def empty():
    """A database with the application's tables and no rows, without a PostgreSQL."""
    keys = {name: ("id",) for name in """
        users namespaces projects members members_deletion_schedules group_group_links project_group_links routes
        redirect_routes notification_settings todos application_settings import_placeholder_user_details
        ci_deleted_objects ci_job_artifacts ghost_user_migrations issues notes merge_requests approvals award_emoji
        reviews abuse_reports user_achievements """.split()}
    keys |= {"namespace_details": ("namespace_id",), "group_deletion_schedules": ("group_id",),
             "project_authorizations": ("user_id", "project_id", "access_level"),
             "issue_assignees": ("issue_id", "user_id")}
    foreign = [
        ForeignKey("namespaces", "parent_id", "namespaces", "restrict"),
        ForeignKey("import_placeholder_user_details", "namespace_id", "namespaces", "set null"),
        ForeignKey("import_placeholder_user_details", "placeholder_user_id", "users", "cascade"),
        ForeignKey("ghost_user_migrations", "user_id", "users", "cascade"),
        ForeignKey("projects", "project_namespace_id", "namespaces", "cascade"),
        ForeignKey("members", "member_namespace_id", "namespaces", "cascade"),
        ForeignKey("routes", "namespace_id", "namespaces", "cascade"),
        ForeignKey("redirect_routes", "namespace_id", "namespaces", "cascade"),
        ForeignKey("namespace_details", "namespace_id", "namespaces", "cascade"),
        ForeignKey("members_deletion_schedules", "namespace_id", "namespaces", "cascade"),
        ForeignKey("members_deletion_schedules", "user_id", "users", "cascade"),
        ForeignKey("members_deletion_schedules", "scheduled_by_id", "users", "cascade"),
        ForeignKey("group_deletion_schedules", "group_id", "namespaces", "cascade"),
        ForeignKey("group_deletion_schedules", "user_id", "users", "cascade"),
        ForeignKey("group_group_links", "shared_group_id", "namespaces", "cascade"),
        ForeignKey("group_group_links", "shared_with_group_id", "namespaces", "cascade"),
    ]
    return Db(keys, foreign)
