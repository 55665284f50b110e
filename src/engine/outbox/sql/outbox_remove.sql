-- Rows whose messages Kafka has acknowledged. Runs in the next transaction, whatever that is.
DELETE FROM pruned.unpublished p
USING unnest(:run_id::uuid[], :step::int[]) AS u (run_id, step)
WHERE p.run_id = u.run_id AND p.step = u.step
