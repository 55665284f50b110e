-- Inserts the authorizations that lock/30-difference.sql found missing, at the level that is given
-- at the insert. Only the difference is touched.
WITH pair AS MATERIALIZED (
  SELECT l.list[1][i] AS user_id, l.list[2][i] AS project_id
  FROM (SELECT pg_catalog.current_setting('pruned.missing')::bigint[] AS list OFFSET 0) AS l, pg_catalog.generate_series(1, pg_catalog.array_length(l.list, 2)) AS i
),
-- include: ../../given.sql
INSERT INTO project_authorizations (user_id, project_id, access_level)
SELECT g.user_id, g.project_id, g.access_level FROM given g ORDER BY g.user_id, g.project_id
ON CONFLICT DO NOTHING
