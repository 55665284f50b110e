-- What has begun before rows were held, and may still take them: transactions that have read
-- `holds` and locked rows of `runs`, which all do that step runs (a backup only reads); and, with
-- `:leases`, runs whose rows are leased while a store deletes their objects. As texts, to be asked
-- for again (`:of`; null: all).
SELECT l.what FROM (
  SELECT DISTINCT pg_catalog.concat('session ', l.pid::text, ', transaction ', l.virtualtransaction) AS what
  FROM pg_locks l JOIN pg_locks s ON s.virtualtransaction = l.virtualtransaction AND s.locktype = 'relation'
    AND s.database = l.database AND s.relation = 'pruned.runs'::regclass AND s.mode <> 'AccessShareLock'
  WHERE l.locktype = 'relation' AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = pg_catalog.current_database())
    AND l.relation = 'pruned.holds'::regclass AND l.pid IS DISTINCT FROM pg_catalog.pg_backend_pid()
  UNION ALL
  SELECT pg_catalog.concat('run ', r.run_id::text, ' of ', r.job, ', step ', r.step::text) FROM pruned.runs r
  WHERE :leases::boolean AND r.rows_leased > 0 AND r.state || '' = 'ready') AS l
WHERE :of::text[] IS NULL OR l.what = ANY (:of::text[])
ORDER BY l.what
