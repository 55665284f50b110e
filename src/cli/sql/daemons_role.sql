-- The role of a running daemon, by the session in which it keeps its clock's difference; of several
-- roles the one that may see least. No row: no daemon's session is seen (a pooler may hide its
-- name).
SELECT a.usename::text AS role
FROM pg_stat_activity a
WHERE a.datname = current_database() AND a.application_name LIKE 'pruned run, clock %' AND a.usename IS NOT NULL
ORDER BY pg_catalog.pg_has_role(a.usename, 'pg_read_all_stats', 'USAGE'), pg_catalog.pg_has_role(a.usename, 'pg_read_all_settings', 'USAGE'), a.usename
LIMIT 1
