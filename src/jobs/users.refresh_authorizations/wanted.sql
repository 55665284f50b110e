-- Common table expressions: wanted (user_id, project_id, access_level), the projects that the users may
-- enter, with the highest level each: as members, as members of a group at or above the project, through
-- shares of such a group or of the project, as owners of the personal namespace. Minimal access (5) opens no project.
-- Each group is expanded once for all users: by the GIN index on traversal_ids (the type is made an expression, else the
-- planner reads the index of all groups beside it), then projects (namespace_id). A user who is no more may have left rows behind
-- that name him: they give nobody anything.
who AS (SELECT u.id FROM users u WHERE u.id = ANY (:key::bigint[])),
-- include: ../shared/reach.sql
,
tree AS MATERIALIZED (
  SELECT g.group_id, p.id AS project_id
  FROM (SELECT DISTINCT group_id FROM reach) AS g,
  LATERAL (SELECT n.id FROM namespaces n WHERE n.traversal_ids @> ARRAY[g.group_id] AND n.type || '' = 'Group'
           UNION SELECT g.group_id) AS n
  JOIN projects p ON p.namespace_id = n.id
),
wanted AS MATERIALIZED (
  SELECT w.user_id, w.project_id, max(w.access_level) AS access_level
  FROM (
    SELECT r.user_id, t.project_id, r.access_level FROM reach r JOIN tree t ON t.group_id = r.group_id
    UNION ALL
    SELECT m.user_id, p.id, m.access_level
    FROM who JOIN members m ON m.user_id = who.id JOIN projects p ON p.id = m.source_id
    WHERE m.requested_at IS NULL AND coalesce(m.state, 0) = 0 AND m.source_type = 'Project'
    UNION ALL
    SELECT m.user_id, p.id, least(m.access_level, l.group_access)
    FROM member_of m JOIN project_group_links l ON l.group_id = m.group_id JOIN projects p ON p.id = l.project_id
    WHERE l.expires_at IS NULL OR l.expires_at > (
  -- include: ../shared/as_of.sql
  AT TIME ZONE 'UTC')::date
    UNION ALL
    SELECT n.owner_id, p.id, 50
    FROM who JOIN namespaces n ON n.owner_id = who.id AND n.type = 'User' JOIN projects p ON p.namespace_id = n.id
  ) AS w
  WHERE w.access_level > 5
  GROUP BY w.user_id, w.project_id
),
present AS MATERIALIZED (
  SELECT a.user_id, a.project_id, a.access_level FROM who JOIN project_authorizations a ON a.user_id = who.id
)
