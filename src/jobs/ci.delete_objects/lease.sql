-- Leases the oldest ready objects for this step, until the time of until.sql; other steps lease
-- others (SKIP LOCKED). `was` is the former time, to return the lease if the store is down. Fast
-- because the index on pick_up_at is read from where the step before ended: until a vacuum, entries
-- of deleted rows lie before that. Objects that became ready behind it are leased when none is left
-- ahead. The rows are updated at the place (partition and ctid) where they were locked, because
-- ctids repeat across partitions. ANY makes the planner use the ctid. `age_s` is NULL if nobody
-- knows: an infinite time has no difference to now. While a store is down its objects are skipped,
-- up to `edge` (window.sql), and `behind` is not read. `:kept`: objects that this run has found to
-- stay as they are, whatever is done; held rows stay, too (free.sql). Rows that a trigger keeps
-- from being leased come last: `held` is false. A row that another session has changed since the
-- statement began is none of them: the statement has locked its new version, which its snapshot
-- does not have, so it is not updated here; the next step takes it.
WITH ahead AS MATERIALIZED (
  SELECT id, tableoid AS part, ctid AS place, pick_up_at FROM ci_deleted_objects
  WHERE pick_up_at >= coalesce(:reached::timestamptz, '-infinity') AND pick_up_at < now()
    AND pick_up_at <= coalesce(:edge::timestamptz, 'infinity') AND file_store <> ALL (:down::int[])
    AND id <> ALL (:kept::bigint[]) AND
    -- include: free.sql
  ORDER BY pick_up_at
  LIMIT :limit::int
  FOR UPDATE SKIP LOCKED),
behind AS MATERIALIZED (
  SELECT id, tableoid AS part, ctid AS place, pick_up_at FROM ci_deleted_objects
  WHERE pick_up_at < :reached::timestamptz AND pick_up_at < now() AND :edge::timestamptz IS NULL
    AND id <> ALL (:kept::bigint[]) AND
    -- include: free.sql
  ORDER BY pick_up_at
  LIMIT :limit::int - (SELECT count(*) FROM ahead)
  FOR UPDATE SKIP LOCKED),
ready AS (
  SELECT id, part, place, pick_up_at FROM ahead UNION ALL SELECT id, part, place, pick_up_at FROM behind),
leased AS (
  UPDATE ci_deleted_objects o SET pick_up_at = now() + :setting.lease_ms::bigint::float8 * interval '1 ms'
  FROM ready WHERE o.tableoid = ready.part AND o.ctid = ready.place AND o.ctid = ANY (ARRAY(SELECT place FROM ready))
  RETURNING o.id, o.file_store, o.store_dir, o.file, ready.pick_up_at AS was,
            CASE WHEN pg_catalog.isfinite(o.created_at) THEN extract(epoch FROM now() - o.created_at)::bigint END AS age_s)
SELECT l.*, l.was = (SELECT pg_catalog.max(pick_up_at) FROM ready) AS is_last, true AS held FROM leased l
UNION ALL
SELECT r.id, NULL, NULL, NULL, r.pick_up_at, NULL, r.pick_up_at = (SELECT pg_catalog.max(pick_up_at) FROM ready), false
FROM ready r WHERE r.id NOT IN (SELECT id FROM leased)
  AND EXISTS (SELECT FROM ci_deleted_objects o WHERE o.tableoid = r.part AND o.ctid = r.place)
ORDER BY held DESC
