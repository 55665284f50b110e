-- Who holds rows: the oldest transaction among those that have locked them (`:xid`, as text), or,
-- where these are not known (`{}`), among those that can have: they hold a lock with which rows are
-- changed or locked of one of the tables `:tab`, or of one whose key leads to one of these, and
-- they had begun when a row was found held last (`:latest`). A prepared transaction has no session:
-- its name is found by its lock of its own number. Reads the server's locks and sessions.
WITH named AS (
  SELECT coalesce(pg_catalog.to_regclass(t.name), pg_catalog.to_regclass(pg_catalog.format('%I', t.name)))::oid AS relation
  FROM pg_catalog.unnest(:tab::text[]) AS t (name)
),
holder AS (
  SELECT DISTINCT l.pid, l.virtualtransaction
  FROM pg_locks l
  WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
    AND CASE WHEN pg_catalog.cardinality(:xid::text[]) > 0 THEN l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.transactionid::text = ANY (:xid::text[])
             ELSE l.locktype = 'relation' AND l.mode <> 'AccessShareLock'
                  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
                  AND l.relation IN (SELECT relation FROM named
                                     UNION ALL SELECT f.conrelid FROM pg_constraint f JOIN named n ON n.relation = f.confrelid WHERE f.contype = 'f') END
)
SELECT p.gid, CASE WHEN p.gid IS NULL THEN pg_catalog.format('SELECT pg_catalog.pg_terminate_backend(%s)', h.pid) ELSE pg_catalog.format('ROLLBACK PREPARED %L', p.gid) END AS ends,
       coalesce(a.usename, p.owner)::text AS role, h.pid, a.application_name AS name, a.state,
       pg_catalog.date_trunc('second', now() - coalesce(a.xact_start, p.prepared))::text AS age,
       CASE WHEN a.query <> '<insufficient privilege>' THEN pg_catalog.left(pg_catalog.regexp_replace(a.query, '\s+', ' ', 'g'), 120) END AS query
FROM holder h
LEFT JOIN pg_stat_activity a ON a.pid = h.pid
LEFT JOIN pg_prepared_xacts p ON h.pid IS NULL
  AND EXISTS (SELECT FROM pg_locks o WHERE o.pid IS NULL AND o.virtualtransaction = h.virtualtransaction AND o.locktype = 'transactionid' AND o.transactionid = p.transaction)
WHERE (a.pid IS NOT NULL OR p.gid IS NOT NULL)
  AND (pg_catalog.cardinality(:xid::text[]) > 0 OR (a.xact_start > :latest::timestamptz) IS NOT TRUE)
  AND (a.pid IS NULL OR NOT
      -- include: ../../../engine/step/sql/own_session.sql
      )
ORDER BY p.transaction::text = ANY (:xid::text[]) DESC NULLS LAST, coalesce(a.xact_start, p.prepared) NULLS LAST
LIMIT 1
