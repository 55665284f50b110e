-- Of runs that this transaction has just inserted: those that the archive took meanwhile go again, and are returned. The insert looked at the
-- archive as it was when it began, and then waited for the row that was just being moved. This look is a later one, so that it sees that
-- move, whatever any clock says of how long ago the run ended. Fast because the archive is asked by its key.
DELETE FROM pruned.runs r
USING unnest(:run_id::uuid[], :scheduled_at::timestamptz[], :child::bool[]) AS u (run_id, scheduled_at, child)
WHERE r.run_id = u.run_id
  AND (EXISTS (SELECT FROM pruned.runs_done d WHERE d.run_id = u.run_id AND d.scheduled_at = u.scheduled_at)
       OR (NOT u.child AND EXISTS (SELECT FROM pruned.event_ids e WHERE e.run_id = u.run_id)))
RETURNING r.run_id
