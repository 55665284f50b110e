-- Inserts the authorizations that lock/30-difference.sql found missing, at the level that is given
-- at the insert. Only the difference is touched.
WITH pair AS MATERIALIZED (
  SELECT m.user_id, m.project_id
  FROM pg_catalog.jsonb_to_recordset(pg_catalog.current_setting('pruned.missing')::jsonb) AS m (user_id bigint, project_id bigint)
),
-- include: ../../given.sql
INSERT INTO project_authorizations (user_id, project_id, access_level)
SELECT g.user_id, g.project_id, g.access_level FROM given g ORDER BY g.user_id, g.project_id
ON CONFLICT DO NOTHING
