"""Members for measurements: any number, in groups and projects of a realistic shape."""

import datetime

import fill

TODAY = datetime.datetime.now(datetime.timezone.utc).date()

# Groups in trees of four (root, child, two grandchildren), ten people a group; two projects a
# group.
FILL = """
INSERT INTO users (id, username, state)
SELECT i, 'user' || i, CASE WHEN i % 20 = 0 THEN 'blocked' ELSE 'active' END FROM generate_series(1, {users}) i;
INSERT INTO namespaces (id, path, type, parent_id)
SELECT i, 'group-' || i, 'Group', CASE nth WHEN 0 THEN NULL WHEN 1 THEN root ELSE root + 1 END
FROM generate_series(1, {groups}) i, LATERAL (SELECT (i - 1) % 4, i - (i - 1) % 4) t (nth, root)
ORDER BY i;
INSERT INTO projects (id, path, namespace_id, project_namespace_id)
SELECT p, 'project-' || p, 1 + (p - 1) / 2, {groups} + p FROM generate_series(1, 2 * {groups}) p;

-- Every other membership is a project's. A group's first two people own it.
INSERT INTO members (id, access_level, source_id, source_type, user_id, expires_at, requested_at)
SELECT i, CASE WHEN source_type = 'Namespace' AND seat < 2 THEN 50 ELSE 10 * (1 + seat % 4) END,
       source_id, source_type, 1 + (hashint8(i) & 2147483647) % {users},
       {expires_at}, CASE WHEN i % 50 = 7 THEN now() END
FROM generate_series(1, {members}) i,
     LATERAL (SELECT i / 2 / {groups}, CASE i % 2 WHEN 0 THEN 'Namespace' ELSE 'Project' END,
                     CASE i % 2 WHEN 0 THEN 1 + i / 2 % {groups} ELSE 1 + i / 2 % (2 * {groups}) END)
     t (seat, source_type, source_id);

INSERT INTO notification_settings (user_id, source_id, source_type, level)
SELECT DISTINCT user_id, source_id, source_type, 1 FROM members WHERE id % 4 = 0;
INSERT INTO todos (user_id, author_id, group_id, project_id)
SELECT 1, user_id, CASE source_type WHEN 'Namespace' THEN source_id END, CASE source_type WHEN 'Project' THEN source_id END
FROM members WHERE requested_at IS NOT NULL
"""

# One in ten has expired, within the past year. Of the others nine in ten have no expiry date.
SPREAD = """CASE (hashint8(i + 1) & 2147483647) % 20
    WHEN 0 THEN '{today}'::date - 1 - (hashint8(i + 2) & 2147483647) % 365
    WHEN 1 THEN '{today}'::date - 1 - (hashint8(i + 3) & 2147483647) % 365
    WHEN 2 THEN '{today}'::date + 1 + (hashint8(i + 4) & 2147483647) % 365 END"""
ONE_DATE = "'{today}'::date - 1"

# One statement is several times faster than one a row.
INDEXES = """SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS make FROM pg_index
    WHERE indrelid IN ('members'::regclass, 'todos'::regclass, 'notification_settings'::regclass) AND NOT indisprimary
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"""


def filler(members, expires_at):
    rows = fill.filler([FILL], members=members, users=max(members // 5, 100), groups=max(members // 20, 8),
                       expires_at=expires_at.format(today=TODAY))

    def without_indexes(database):
        indexes = database.rows(INDEXES)
        for index in indexes:
            database.execute(f"DROP INDEX {index['name']}")
        rows(database)
        for index in indexes:
            database.execute(index["make"])
    return without_indexes
