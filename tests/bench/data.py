"""Members to be measured with: as many as wanted, in groups and projects of a believable shape."""

import datetime

TODAY = datetime.datetime.now(datetime.timezone.utc).date()

# Groups in trees of four (root, child, two grandchildren), ten people a group; two projects a group.
FILL = """
INSERT INTO users (id, username, name, email, state, user_type, created_at, updated_at)
SELECT i, 'user' || i, 'User ' || i, 'user' || i || '@example.com',
       CASE WHEN i % 20 = 0 THEN 'blocked' ELSE 'active' END, 0, now(), now()
FROM generate_series(1, {users}) i;

INSERT INTO namespaces (id, name, path, type, parent_id, traversal_ids, created_at, updated_at)
SELECT id, 'Group ' || id, 'group-' || id, 'Group', CASE nth WHEN 0 THEN NULL WHEN 1 THEN root ELSE root + 1 END,
       CASE nth WHEN 0 THEN ARRAY[root] WHEN 1 THEN ARRAY[root, root + 1] ELSE ARRAY[root, root + 1, id] END, now(), now()
FROM generate_series(1, {groups}) id, LATERAL (SELECT (id - 1) % 4, id - (id - 1) % 4) t (nth, root)
ORDER BY id;
INSERT INTO namespaces (id, name, path, type, parent_id, traversal_ids, created_at, updated_at)
SELECT {groups} + p, 'Project ' || p, 'project-' || p, 'Project', n.id, n.traversal_ids || ({groups} + p), now(), now()
FROM generate_series(1, 2 * {groups}) p JOIN namespaces n ON n.id = 1 + (p - 1) / 2;
INSERT INTO projects (id, name, path, namespace_id, project_namespace_id, created_at, updated_at)
SELECT p, 'Project ' || p, 'project-' || p, 1 + (p - 1) / 2, {groups} + p, now(), now() FROM generate_series(1, 2 * {groups}) p;
INSERT INTO routes (source_id, source_type, path, name, namespace_id)
SELECT id, 'Namespace', path, name, id FROM namespaces WHERE type = 'Group';

-- Every other membership is a project's. A group's first two people own it.
INSERT INTO members (id, access_level, source_id, source_type, user_id, type, member_namespace_id, expires_at,
                     requested_at, state, created_at, updated_at)
SELECT i, CASE WHEN source_type = 'Namespace' AND seat < 2 THEN 50 ELSE 10 * (1 + seat % 4) END,
       source_id, source_type, 1 + (hashint8(i) & 2147483647) % {users},
       CASE source_type WHEN 'Project' THEN 'ProjectMember' ELSE 'GroupMember' END,
       CASE source_type WHEN 'Project' THEN {groups} + source_id ELSE source_id END,
       {expires_at}, CASE WHEN i % 50 = 7 THEN now() END, 0, now(), now()
FROM generate_series(1, {members}) i,
     LATERAL (SELECT i / 2 / {groups}, CASE i % 2 WHEN 0 THEN 'Namespace' ELSE 'Project' END,
                     CASE i % 2 WHEN 0 THEN 1 + i / 2 % {groups} ELSE 1 + i / 2 % (2 * {groups}) END)
     t (seat, source_type, source_id);

INSERT INTO notification_settings (user_id, source_id, source_type, level)
SELECT DISTINCT user_id, source_id, source_type, 1 FROM members WHERE id % 4 = 0;
INSERT INTO todos (user_id, author_id, group_id, project_id, target_id, target_type, action, state, created_at, updated_at)
SELECT 1, user_id, CASE source_type WHEN 'Namespace' THEN source_id END, CASE source_type WHEN 'Project' THEN source_id END,
       source_id, source_type, 10, 'pending', now(), now() FROM members WHERE requested_at IS NOT NULL;
"""

# One in ten has expired, over the past year; nine in ten of the others never will.
SPREAD = """CASE (hashint8(i + 1) & 2147483647) % 20
    WHEN 0 THEN '{today}'::date - 1 - (hashint8(i + 2) & 2147483647) % 365
    WHEN 1 THEN '{today}'::date - 1 - (hashint8(i + 3) & 2147483647) % 365
    WHEN 2 THEN '{today}'::date + 1 + (hashint8(i + 4) & 2147483647) % 365 END"""
ONE_DATE = "'{today}'::date - 1"

# All at once is several times faster than row by row.
INDEXES = """SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS make FROM pg_index
    WHERE indrelid IN ('members'::regclass, 'todos'::regclass, 'notification_settings'::regclass) AND NOT indisprimary
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"""


def filler(members, expires_at):
    def fill(database):
        indexes = database.rows(INDEXES)
        for index in indexes:
            database.execute(f"DROP INDEX {index['name']}")
        for statement in FILL.format(members=members, users=max(members // 5, 100), groups=max(members // 20, 8),
                                     expires_at=expires_at.format(today=TODAY)).split(";\n"):
            if statement.strip():
                database.execute(statement)
        for index in indexes:
            database.execute(index["make"])
    return fill
