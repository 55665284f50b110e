-- Common table expressions: wanted (user_id, project_id, access_level), the projects that the users
-- may enter, with the highest level each: as members, as members of a group at or above the
-- project, through shares of such a group, through a link of the project to a group that they reach
-- in any of these ways, as owners of the personal namespace. Minimal access (5) opens no project.
-- `tree`: users with rights in the group have them in the project, too, of at most the level
-- `most`.
-- Each group is expanded once for all users: by the GIN index on traversal_ids (the type is an
-- expression, because otherwise the planner also reads the index of all groups), then projects
-- (namespace_id) and project_group_links (group_id). The group itself belongs to its branch,
-- whatever its row says. A deleted user, group or project can have left rows behind that name them:
-- these give nothing.
who AS (SELECT u.id FROM users u WHERE u.id = ANY (:key::bigint[])),
-- include: ../shared/reach.sql
,
branch AS MATERIALIZED (
  SELECT g.group_id, n.id
  FROM (SELECT DISTINCT group_id FROM reach) AS g,
  LATERAL (SELECT g.group_id AS id
           UNION ALL
           SELECT n.id FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[g.group_id] AND n.type::text || '' = 'Group' AND n.id <> g.group_id) AS n
),
tree AS MATERIALIZED (
  SELECT b.group_id, p.id AS project_id, 50 AS most FROM branch b JOIN projects p ON p.namespace_id = b.id
  UNION ALL
  SELECT b.group_id, l.project_id, pg_catalog.max(l.group_access)
  FROM branch b
  CROSS JOIN LATERAL (
    SELECT l.project_id, l.group_access, l.expires_at FROM project_group_links l WHERE l.group_id = b.id OFFSET 0) AS l
  JOIN projects p ON p.id = l.project_id
  WHERE
    -- include: ../shared/open_link.sql
  GROUP BY b.group_id, l.project_id
),
wanted AS (
  SELECT w.user_id, w.project_id, pg_catalog.max(w.access_level) AS access_level
  FROM (
    SELECT r.user_id, t.project_id, least(r.access_level, t.most) AS access_level FROM reach r JOIN tree t ON t.group_id = r.group_id
    UNION ALL
    SELECT m.user_id, p.id, m.access_level FROM membership m JOIN projects p ON p.id = m.source_id WHERE NOT m.of_group
    UNION ALL
    SELECT n.owner_id, p.id, 50
    FROM who JOIN namespaces n ON n.owner_id = who.id AND n.type::text = 'User' JOIN projects p ON p.namespace_id = n.id
  ) AS w
  WHERE w.access_level > 5
  GROUP BY w.user_id, w.project_id
),
present AS (
  SELECT a.user_id, a.project_id, a.access_level FROM who JOIN project_authorizations a ON a.user_id = who.id
)
