-- The runs of those messages that are not stale. If the fence did not return such a run, another
-- transaction has it locked.
SELECT r.run_id
FROM unnest(:run_id::uuid[], :step::int[], :attempt::int[]) AS u (run_id, step, attempt)
JOIN pruned.runs r ON r.run_id = u.run_id AND r.step = u.step AND r.attempts = u.attempt
WHERE r.state || '' = 'ready' AND r.job = :job::text
