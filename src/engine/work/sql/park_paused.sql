-- Messages came for runs of a paused job: the runs wait, unpublished, until the job is resumed.
UPDATE pruned.runs SET state = 'waiting', changed_at = clock_timestamp()
WHERE run_id = ANY (:run_id::uuid[])
