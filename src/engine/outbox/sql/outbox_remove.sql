-- Acknowledged by Kafka: no longer owed. Rides on whatever transaction comes next.
DELETE FROM pruned.unpublished p
USING unnest(:run_id::uuid[], :step::int[]) AS u (run_id, step)
WHERE p.run_id = u.run_id AND p.step = u.step
