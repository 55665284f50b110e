-- The authorizations that lock/30-difference.sql found superfluous or of another level. OFFSET 0:
-- the list is read once, not for each look-up.
SELECT l.list[1][i] AS user_id, l.list[2][i] AS project_id, l.list[3][i]::int AS access_level
FROM (SELECT pg_catalog.current_setting('pruned.stale')::bigint[] AS list OFFSET 0) AS l, pg_catalog.generate_series(1, pg_catalog.array_length(l.list, 2)) AS i
OFFSET 0
