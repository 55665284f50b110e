"""One root with many subgroups and projects, as large as wanted."""

# Ten subgroups a group; projects in turn. Project namespaces follow the groups.
TREE = """
INSERT INTO application_settings (deletion_adjourned_period) VALUES (7);
INSERT INTO users (id, username, name, email, state, admin, user_type, created_at, updated_at)
SELECT i, 'user' || i, 'User ' || i, 'user' || i || '@example.com', 'active', i = 2, 0, now(), now()
FROM generate_series(1, {users}) i;
INSERT INTO namespaces (id, name, path, type, parent_id, traversal_ids, created_at, updated_at)
WITH RECURSIVE tree (id, parent_id, ids) AS (
  SELECT 1::bigint, NULL::bigint, ARRAY[1::bigint]
  UNION ALL
  SELECT c.id, t.id, t.ids || c.id FROM tree t, LATERAL (
    SELECT t.id * 10 - 8 + n AS id FROM generate_series(0, 9) n) c WHERE c.id <= {groups})
SELECT id, 'Group ' || id, 'group-' || id, 'Group', parent_id, ids, now(), now() FROM tree ORDER BY id;
INSERT INTO namespaces (id, name, path, type, parent_id, traversal_ids, created_at, updated_at)
SELECT {groups} + p, 'Project ' || p, 'project-' || p, 'Project', n.id, n.traversal_ids || ({groups} + p), now(), now()
FROM generate_series(1, {projects}) p JOIN namespaces n ON n.id = 1 + p % {groups};
INSERT INTO projects (id, name, path, namespace_id, project_namespace_id, created_at, updated_at)
SELECT p, 'Project ' || p, 'project-' || p, 1 + p % {groups}, {groups} + p, now(), now() FROM generate_series(1, {projects}) p;
INSERT INTO routes (source_id, source_type, path, name, namespace_id)
SELECT id, 'Namespace', path, name, id FROM namespaces WHERE type = 'Group';
INSERT INTO routes (source_id, source_type, path, name, namespace_id)
SELECT id, 'Project', path, name, project_namespace_id FROM projects;
INSERT INTO namespace_details (namespace_id) SELECT id FROM namespaces;
INSERT INTO members (access_level, source_id, source_type, user_id, type, member_namespace_id, created_at, updated_at)
VALUES (50, 1, 'Namespace', 1, 'GroupMember', 1, now(), now())
"""
LISTEN = """
INSERT INTO notification_settings (user_id, source_id, source_type, level)
SELECT DISTINCT user_id, source_id, source_type, 1 FROM members WHERE id % 4 = 0
"""



def join(members):
    """MEMBERS: a query for source_type, source_id, user_id, access_level."""
    return f"""
INSERT INTO members (access_level, source_id, source_type, user_id, type, member_namespace_id, created_at, updated_at)
SELECT access_level, source_id, source_type, user_id, CASE source_type WHEN 'Project' THEN 'ProjectMember' ELSE 'GroupMember' END,
       CASE source_type WHEN 'Project' THEN {{groups}} + source_id ELSE source_id END, now(), now() FROM ({members}) m
"""

def filler(statements, **sizes):
    def fill(database):
        for text in statements:
            for statement in text.format(**sizes).split(";\n"):
                database.execute(statement)
    return fill
