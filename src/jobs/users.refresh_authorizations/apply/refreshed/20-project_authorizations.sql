-- Deletes authorizations that lock/30-difference.sql found superfluous or of another level, if
-- nothing gives them when they are deleted. Fast by primary key.
WITH stale AS MATERIALIZED (
  SELECT s.* FROM pg_catalog.jsonb_to_recordset(pg_catalog.current_setting('pruned.stale')::jsonb) AS s (user_id bigint, project_id bigint, access_level int)
  ORDER BY s.user_id, s.project_id, s.access_level
),
pair AS MATERIALIZED (SELECT DISTINCT user_id, project_id FROM stale),
-- include: ../../given.sql
DELETE FROM project_authorizations a
USING stale s LEFT JOIN given g ON g.user_id = s.user_id AND g.project_id = s.project_id
WHERE a.user_id = s.user_id AND a.project_id = s.project_id AND a.access_level = s.access_level
  AND g.access_level IS DISTINCT FROM s.access_level
RETURNING pg_catalog.jsonb_build_object('user_id', a.user_id, 'project_id', a.project_id, 'access_level', a.access_level) AS key,
          pg_catalog.to_jsonb(a.*) AS row
