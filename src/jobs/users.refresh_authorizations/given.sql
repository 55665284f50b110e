-- Common table expressions: for pairs of user and project, `pair (user_id, project_id)`, which the
-- statement has before, the level that is given now: given (user_id, project_id, access_level), by
-- the rules of wanted.sql. The statements that apply the difference check it again, because a
-- membership can have been inserted or deleted meanwhile. Fast because it looks up the groups above
-- each project by primary key, and expands no hierarchy.
who AS (SELECT u.id FROM users u WHERE u.id IN (SELECT user_id FROM pair)),
-- include: ../shared/reach.sql
,
entered AS (SELECT DISTINCT project_id AS id FROM pair),
-- include: ../shared/invited.sql
,
line AS MATERIALIZED (
  SELECT p.user_id, p.project_id, j.namespace_id, n.type, n.owner_id, CASE n.type::text WHEN 'Group' THEN n.traversal_ids END OPERATOR(pg_catalog.||) j.namespace_id AS groups
  FROM pair p
  CROSS JOIN LATERAL (SELECT j.namespace_id FROM projects j WHERE j.id = p.project_id OFFSET 0) AS j
  LEFT JOIN LATERAL (SELECT n.type, n.owner_id, n.traversal_ids FROM namespaces n WHERE n.id = j.namespace_id OFFSET 0) AS n ON true
),
given AS MATERIALIZED (
  SELECT w.user_id, w.project_id, pg_catalog.max(w.access_level) AS access_level
  FROM (
    SELECT l.user_id, l.project_id, r.access_level
    FROM (SELECT user_id, project_id, pg_catalog.unnest(groups) AS group_id FROM line) AS l
    JOIN reach r ON r.user_id = l.user_id AND r.group_id = l.group_id
    UNION ALL
    SELECT l.user_id, l.project_id, m.access_level
    FROM line l JOIN membership m ON m.user_id = l.user_id AND m.source_id = l.project_id WHERE NOT m.of_group
    UNION ALL
    SELECT p.user_id, p.project_id, least(r.access_level, i.most)
    FROM pair p JOIN invited i ON i.project_id = p.project_id JOIN reach r ON r.user_id = p.user_id AND r.group_id = i.group_id
    UNION ALL
    SELECT l.user_id, l.project_id, 50 FROM line l JOIN who ON who.id = l.user_id WHERE l.type::text = 'User' AND l.owner_id = l.user_id
  ) AS w
  WHERE w.access_level > 5
  GROUP BY w.user_id, w.project_id
)
