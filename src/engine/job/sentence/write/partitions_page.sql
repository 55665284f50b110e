-- Partitions of {table} whose upper bound is {age} old or older, the oldest first. The default
-- partition and one up to MAXVALUE have no such bound. Those that an earlier step has detached and
-- not dropped yet are among them. Reads the catalogue, no row of the table.
WITH due AS (
{due}
  UNION ALL
  SELECT r.relid, r.name, r.bound, r.lower, r.upper, r.upper_at, r.rows FROM pruned.partitions r
  WHERE (r.job = :job::text OR r.parent = pg_catalog.to_regclass({relation}) AND r.decided_at <= now() - interval '1 day')
    AND pg_catalog.to_regclass(r.name)::oid = r.relid
    AND r.detaching AND NOT EXISTS (SELECT FROM pg_inherits h WHERE h.inhrelid = r.relid)
)
SELECT d.name AS key, d.upper_at AS k1, d.relid::bigint AS k2
FROM due d
WHERE :cursor.k1::timestamptz IS NULL OR (d.upper_at, d.relid::bigint) > (:cursor.k1::timestamptz, :cursor.k2::bigint)
ORDER BY d.upper_at, d.relid::bigint
LIMIT :limit::int
