"""One root with many subgroups and projects, of any size."""

from fill import PEOPLE

# Ten subgroups in each group; projects are spread evenly. Project namespaces follow the groups.
TREE = PEOPLE + """;
UPDATE users SET admin = true WHERE id = 2;
INSERT INTO application_settings (deletion_adjourned_period) VALUES (7);
INSERT INTO namespaces (id, path, type, parent_id)
SELECT i, 'group-' || i, 'Group', CASE WHEN i > 1 THEN (i + 8) / 10 END FROM generate_series(1, {groups}) i ORDER BY i;
INSERT INTO projects (id, path, namespace_id, project_namespace_id)
SELECT p, 'project-' || p, 1 + p % {groups}, {groups} + p FROM generate_series(1, {projects}) p;
INSERT INTO members (access_level, source_id, source_type, user_id) VALUES (50, 1, 'Namespace', 1)
"""
LISTEN = """
INSERT INTO notification_settings (user_id, source_id, source_type, level)
SELECT DISTINCT user_id, source_id, source_type, 1 FROM members WHERE id % 4 = 0
"""



def join(members):
    """MEMBERS: a query for source_type, source_id, user_id, access_level."""
    return f"""
INSERT INTO members (access_level, source_id, source_type, user_id)
SELECT access_level, source_id, source_type, user_id FROM ({members}) m
"""
