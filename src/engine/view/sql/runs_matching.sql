-- Part of a statement: the run matches the options of `pruned runs`.
(:job::text IS NULL OR job = :job::text)
AND (:state::text IS NULL OR state = :state::text
     OR :state::text = 'blocked' AND (state = 'waiting' AND error LIKE 'blocked: %' OR result ->> 'status' = 'blocked')
     OR :state::text = 'failed' AND state = 'finished' AND result ->> 'status' = 'failed')
AND (:since::timestamptz IS NULL OR created_at >= :since::timestamptz) AND (parent_id IS NULL OR NOT :parents::boolean)
