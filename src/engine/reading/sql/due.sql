-- Whether rows that are due can be asked for, now that the run has ended: `seen`, if it was there
-- to take all of them, from its first page to its last, with a T that was over, and if nobody has
-- taken a row out of quarantine or released one since. `kept`: how many the run has kept because of
-- holds. No row: it cannot. What a transaction has seen
-- says nothing in another cluster: there the row of the run is not younger than that. Fast by
-- run_id and by the journal's time.
SELECT r.seen::text AS seen, EXISTS (SELECT FROM pruned.holds) AS holds,
       coalesce((r.result ->> 'kept_hold')::bigint, 0) + coalesce((r.result ->> 'kept_restored')::bigint, 0) AS kept
FROM (
  SELECT state, result, scheduled_at, started_at, created_at, rows_counted, seen, xmin FROM pruned.runs WHERE run_id = :run_id::uuid
  UNION ALL
  SELECT state, result, scheduled_at, started_at, created_at, rows_counted, seen, xmin FROM pruned.runs_done WHERE run_id = :run_id::uuid) AS r
WHERE r.state = 'finished' AND r.result ->> 'status' IN ('completed', 'failed') AND r.result ->> 'mode' IS NULL AND r.result ->> 'reason' IS NULL
  AND r.scheduled_at <= r.started_at
  AND r.seen < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) AND pg_catalog.age(r.xmin) <= pg_catalog.age(r.seen::xid)
  AND NOT EXISTS (SELECT FROM pruned.journal j WHERE j.at >= r.created_at AND j.command ~ '^(quarantine|release|restore|forget)')
LIMIT 1
