-- Deletes authorizations that lock/30-difference.sql found superfluous or of another level, if
-- nothing gives them when they are deleted. Fast by primary key; what is given is a hash table (NOT
-- IN), whatever size the planner assumes.
WITH stale AS MATERIALIZED (
  SELECT s.* FROM (
    -- include: ../../stale.sql
  ) AS s ORDER BY s.user_id, s.project_id, s.access_level
),
pair AS MATERIALIZED (SELECT DISTINCT user_id, project_id FROM stale),
-- include: ../../given.sql
DELETE FROM project_authorizations a
USING stale s
WHERE a.user_id = s.user_id AND a.project_id = s.project_id AND a.access_level = s.access_level
  AND (s.user_id, s.project_id, s.access_level) NOT IN (SELECT g.user_id, g.project_id, g.access_level FROM given g)
RETURNING pg_catalog.jsonb_build_object('user_id', a.user_id, 'project_id', a.project_id, 'access_level', a.access_level) AS key,
          pg_catalog.to_jsonb(a.*) AS row
