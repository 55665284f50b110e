-- Messages came for runs of a paused job, or while everything is stopped: the runs wait, unpublished,
-- until the job is resumed, or the stop ends.
UPDATE pruned.runs SET state = 'waiting', changed_at = clock_timestamp()
WHERE run_id = ANY (:run_id::uuid[])
