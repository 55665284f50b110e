-- Runs that began with a version of their job that this process does not have wait for one that has
-- it, or for an operator. A range does not wait: its run does what is left of it. An erasure is not
-- woken by its runs meanwhile.
UPDATE pruned.runs r
SET state = CASE WHEN r.range_of IS NULL THEN 'waiting' ELSE 'skipped' END, error = u.error, error_class = 'version', published_at = NULL,
    unique_key = CASE WHEN r.range_of IS NULL THEN r.unique_key END, finished_at = CASE WHEN r.range_of IS NOT NULL THEN clock_timestamp() END,
    waits_for = nullif(r.waits_for, 'runs'),
    due_at = clock_timestamp() + interval '1 minute', changed_at = clock_timestamp()
FROM unnest(:run_id::uuid[], :error::text[]) AS u (run_id, error)
WHERE r.run_id = u.run_id
