-- Runs that wait for the end of quiet hours which end earlier now are due then; `until`: null, they are
-- over. Read once for each change of the settings: of the waiting runs only.
UPDATE pruned.runs r
SET due_at = greatest(now(), u.until), changed_at = clock_timestamp()
FROM unnest(:job::text[], :until::timestamptz[]) AS u (job, until)
WHERE r.job = u.job AND r.state = 'waiting' AND r.error LIKE 'quiet hours until %' AND r.due_at > greatest(now(), u.until)
