-- The record of the partitions that this transaction has dropped. How many rows they had is
-- PostgreSQL's estimate.
DELETE FROM pruned.partitions r
WHERE r.job = :job::text AND r.relid = ANY (:relid::oid[])
RETURNING r.name AS key,
          pg_catalog.jsonb_build_object('partition', r.name, 'from', coalesce(r.lower, 'MINVALUE'), 'to', r.upper, 'rows_estimate', r.rows) AS row
