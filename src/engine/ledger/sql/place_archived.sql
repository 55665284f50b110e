-- Of the runs that this transaction has just inserted: deletes and returns those that the archive
-- took meanwhile. The INSERT saw the archive as of its start, and then waited for the row that was
-- being moved. This statement has a later snapshot, so it sees the move, whatever any clock says
-- about the end of the run. Fast because the archive is read by its key.
DELETE FROM pruned.runs r
USING unnest(:run_id::uuid[], :scheduled_at::timestamptz[], :child::bool[]) AS u (run_id, scheduled_at, child)
WHERE r.run_id = u.run_id
  AND (EXISTS (SELECT FROM pruned.runs_done d WHERE d.run_id = u.run_id AND d.scheduled_at = u.scheduled_at)
       OR (NOT u.child AND EXISTS (SELECT FROM pruned.event_ids e WHERE e.run_id = u.run_id)))
RETURNING r.run_id
