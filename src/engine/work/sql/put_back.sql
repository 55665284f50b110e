-- Claimed runs that must not be stepped now wait, unpublished, until `until` (NULL: they are due as
-- they were; if only another clock has reached it: in a minute), and say why (`error`; NULL: they
-- say what they said). The error of a back-off stays readable behind that, and keeps its class.
-- `class`: the run waits for a process that has its version, or for an operator. Then a range does
-- not wait, because its run does what is left of it, and an erasure is not woken by its runs.
UPDATE pruned.runs r
SET state = CASE WHEN u.class IS NOT NULL AND r.range_of IS NOT NULL THEN 'skipped' ELSE 'waiting' END, published_at = NULL, changed_at = clock_timestamp(),
    due_at = CASE WHEN u.until IS NULL THEN r.due_at WHEN u.until > now() THEN u.until ELSE clock_timestamp() + interval '1 minute' END,
    error = CASE WHEN u.class IS NOT NULL THEN u.error
                 WHEN u.error IS NULL THEN r.error
                 ELSE u.error || coalesce('; its last error: ' || CASE WHEN r.error LIKE 'quiet hours until %' OR r.error LIKE 'throttled: %' OR r.error LIKE 'mode off%'
                                                                       THEN nullif(pg_catalog.split_part(r.error, '; its last error: ', 2), '') ELSE r.error END, '') END,
    error_class = coalesce(u.class, r.error_class), unique_key = CASE WHEN u.class IS NOT NULL AND r.range_of IS NOT NULL THEN NULL ELSE r.unique_key END,
    finished_at = CASE WHEN u.class IS NOT NULL AND r.range_of IS NOT NULL THEN clock_timestamp() END, waits_for = CASE WHEN u.class IS NULL THEN r.waits_for ELSE nullif(r.waits_for, 'runs') END
FROM unnest(:run_id::uuid[], :until::timestamptz[], :error::text[], :class::text[]) AS u (run_id, until, error, class)
WHERE r.run_id = u.run_id
