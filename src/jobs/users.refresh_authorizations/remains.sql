-- Authorizations that nothing gives and that are still there, or that are given and are still
-- missing, although lock/30-difference.sql found them: a trigger or a rule has kept them. What is
-- given is looked up for these only. Fast by primary key.
WITH kept AS MATERIALIZED (
  SELECT s.user_id, s.project_id, s.access_level FROM (
    -- include: stale.sql
  ) AS s
  JOIN project_authorizations a ON a.user_id = s.user_id AND a.project_id = s.project_id AND a.access_level = s.access_level
),
absent AS MATERIALIZED (
  SELECT m.user_id, m.project_id FROM (
    SELECT l.list[1][i] AS user_id, l.list[2][i] AS project_id
    FROM (SELECT pg_catalog.current_setting('pruned.missing')::bigint[] AS list OFFSET 0) AS l, pg_catalog.generate_series(1, pg_catalog.array_length(l.list, 2)) AS i
    OFFSET 0) AS m
  WHERE NOT EXISTS (SELECT FROM project_authorizations a WHERE a.user_id = m.user_id AND a.project_id = m.project_id)
),
pair AS MATERIALIZED (SELECT user_id, project_id FROM kept UNION SELECT user_id, project_id FROM absent),
-- include: given.sql
SELECT 'a trigger or a rule keeps rows of project_authorizations that nothing gives' AS reason
FROM kept k
WHERE (k.user_id, k.project_id, k.access_level) NOT IN (SELECT g.user_id, g.project_id, g.access_level FROM given g)
UNION ALL
SELECT 'a trigger or a rule keeps rows out of project_authorizations'
FROM absent a JOIN given g ON g.user_id = a.user_id AND g.project_id = a.project_id
LIMIT 1
