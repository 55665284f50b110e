-- What runs may have to wait for, as rows: the setting that bounds it, the job that it concerns
-- (null: all), what it is, and how much. `hidden`: role `:role` (null: this one) may not see it.
-- Read every few seconds by each process; all of it is in shared memory or in the catalogue. No
-- table of a job is locked.
WITH RECURSIVE me AS MATERIALIZED (
  SELECT pg_catalog.pg_has_role('pg_read_all_stats', 'USAGE') AS stats, pg_catalog.pg_has_role('pg_read_all_settings', 'USAGE') AS settings,
         pg_catalog.pg_has_role(coalesce(:role::text, current_user::text)::name, 'pg_read_all_stats', 'USAGE') AS told_stats,
         pg_catalog.pg_has_role(coalesce(:role::text, current_user::text)::name, 'pg_read_all_settings', 'USAGE') AS told_settings,
         CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() END AS lsn,
         (inet_server_addr() IS NULL OR inet_server_addr() = inet_client_addr()) AS local),
-- Each view once: what takes most of the statement's time is to plan it.
sessions AS MATERIALIZED (
  SELECT a.pid, a.datname, a.usename, a.application_name, a.backend_type, a.xact_start FROM pg_stat_activity a),
standbys AS MATERIALIZED (
  SELECT r.pid, r.application_name, r.flush_lsn, r.replay_lsn, r.replay_lag FROM pg_stat_replication r),
own AS MATERIALIZED (
  SELECT a.pid FROM sessions a WHERE
  -- include: own_session.sql
),
-- With their partitions, and the partitions of these. Not by pg_partition_tree, which takes locks.
tables AS (
  SELECT t.job, t.written, r.oid, r.reltablespace,
         CASE WHEN n.nspname = :app_schema::text THEN r.relname::text ELSE pg_catalog.format('%s.%s', n.nspname, r.relname) END AS name
  FROM unnest(:job::text[], :relation::text[], :written::bool[]) AS t (job, relation, written)
  CROSS JOIN LATERAL pg_catalog.parse_ident(t.relation) AS i (parts)
  JOIN pg_namespace n ON n.nspname = CASE WHEN pg_catalog.cardinality(i.parts) > 1 THEN i.parts[1] ELSE :app_schema::text END
  JOIN pg_class r ON r.relnamespace = n.oid AND r.relname = i.parts[pg_catalog.cardinality(i.parts)] AND r.relkind IN ('r', 'p')
  UNION
  SELECT t.job, t.written, p.oid, p.reltablespace, t.name
  FROM tables t JOIN pg_inherits i ON i.inhparent = t.oid JOIN pg_class p ON p.oid = i.inhrelid),
locks AS MATERIALIZED (
  SELECT l.pid, l.relation, l.mode, l.granted, l.waitstart < clock_timestamp() - interval '1 s' AS waits_long
  FROM pg_locks l
  WHERE (l.database IS NULL OR l.database = 0 OR l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
    AND l.pid NOT IN (SELECT own.pid FROM own)),
-- A row lock is waited for as one of a transaction. Such a session has locked the table, too, to do
-- more than read.
waiters AS MATERIALIZED (
  SELECT DISTINCT w.pid, l.relation
  FROM locks w JOIN locks l ON l.pid = w.pid AND l.relation IS NOT NULL AND (l.mode <> 'AccessShareLock' OR NOT l.granted)
  WHERE NOT w.granted AND w.waits_long),
archive AS MATERIALIZED (
  SELECT CASE WHEN s.last_archived_wal ~ '^[0-9A-F]{24}' THEN pg_catalog.substr(s.last_archived_wal, 9, 16)
              WHEN s.last_failed_wal ~ '^[0-9A-F]{24}' THEN pg_catalog.substr(s.last_failed_wal, 9, 16) END AS segment,
         coalesce(s.last_archived_wal ~ '^[0-9A-F]{24}', false) AS done, pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size')) AS bytes
  FROM pg_stat_archiver s
  WHERE pg_catalog.current_setting('archive_mode') <> 'off')
SELECT 'standby_lag_bytes' AS setting, NULL::text AS job, 'standby ' || r.application_name AS name,
       pg_catalog.pg_wal_lsn_diff(me.lsn, coalesce(r.replay_lsn, r.flush_lsn))::bigint AS value
FROM me, standbys r WHERE coalesce(r.replay_lsn, r.flush_lsn) IS NOT NULL
UNION ALL
SELECT 'standby_lag_s', NULL, 'standby ' || r.application_name,
       pg_catalog.max(CASE WHEN r.replay_lsn < me.lsn THEN coalesce(extract(epoch FROM r.replay_lag)::bigint, 0) ELSE 0 END)
FROM me, standbys r WHERE r.replay_lsn IS NOT NULL GROUP BY r.application_name
UNION ALL
-- How far standbys have replayed that have not replayed all. Not subscribers: they do not need all.
SELECT 'replayed', NULL, 'standby ' || r.application_name, pg_catalog.min(pg_catalog.pg_wal_lsn_diff(r.replay_lsn, '0/0'))::bigint
FROM me, standbys r
WHERE r.replay_lsn < me.lsn AND NOT EXISTS (SELECT FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')
GROUP BY r.application_name
UNION ALL
SELECT 'slot_lag_bytes', NULL, 'slot ' || s.slot_name::text, pg_catalog.pg_wal_lsn_diff(me.lsn, s.restart_lsn)::bigint
FROM me, pg_replication_slots s WHERE s.restart_lsn IS NOT NULL AND NOT s.temporary
UNION ALL
SELECT 'wal', NULL, 'the server', pg_catalog.pg_wal_lsn_diff(me.lsn, '0/0')::bigint FROM me WHERE me.lsn IS NOT NULL
UNION ALL
SELECT 'wal_unarchived_files', NULL, 'the archive',
       greatest(0, pg_catalog.pg_wal_lsn_diff(me.lsn, '0/0')::bigint / a.bytes - a.done::int
                   - (('x' || pg_catalog.substr(a.segment, 1, 8))::bit(32)::bigint * (4294967296 / a.bytes)
                      + ('x' || pg_catalog.substr(a.segment, 9, 8))::bit(32)::bigint))
FROM me, archive a WHERE me.lsn IS NOT NULL AND a.segment IS NOT NULL
UNION ALL
(SELECT 'old_transaction_s', NULL, 'session ' || a.pid::text, extract(epoch FROM clock_timestamp() - a.xact_start)::bigint
 FROM me, sessions a
 WHERE me.stats AND a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid NOT IN (SELECT own.pid FROM own)
   AND a.xact_start IS NOT NULL
 ORDER BY a.xact_start LIMIT 1)
UNION ALL
(SELECT 'old_transaction_s', NULL, 'a prepared transaction', extract(epoch FROM clock_timestamp() - p.prepared)::bigint
 FROM me, pg_prepared_xacts p WHERE me.stats AND p.database = current_database() ORDER BY p.prepared LIMIT 1)
UNION ALL
SELECT 'lock_waiters', t.job, 'tables ' || pg_catalog.string_agg(DISTINCT t.name, ', '), pg_catalog.count(DISTINCT w.pid)
FROM waiters w JOIN tables t ON t.oid = w.relation GROUP BY t.job
UNION ALL
SELECT 'maintenance', t.job, 'table ' || pg_catalog.min(t.name), count(*)
FROM locks l JOIN tables t ON t.oid = l.relation
WHERE t.written AND l.granted AND l.mode IN ('ShareUpdateExclusiveLock', 'ShareLock') GROUP BY t.job
UNION ALL
SELECT 'disk', NULL, CASE WHEN me.settings THEN pg_catalog.current_setting('data_directory') END, me.local::int FROM me WHERE me.settings
UNION ALL
SELECT 'disk', NULL, pg_catalog.pg_tablespace_location(s.oid), me.local::int
FROM me, pg_tablespace s
WHERE pg_catalog.pg_tablespace_location(s.oid) <> ''
  AND (s.oid IN (SELECT t.reltablespace FROM tables t) OR s.oid = (SELECT d.dattablespace FROM pg_database d WHERE d.datname = current_database()))
UNION ALL
SELECT 'hidden', NULL, 'standby_lag', (SELECT count(*) FROM standbys) FROM me WHERE NOT me.told_stats
UNION ALL
SELECT 'hidden', NULL, 'old_transaction', 0 FROM me WHERE NOT me.told_stats
UNION ALL
SELECT 'hidden', NULL, 'min_free', 0 FROM me WHERE NOT me.told_settings
