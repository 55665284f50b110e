-- Makes items due now and unparks them: the job's next run takes them, and a run that waits for one
-- (an event has named its row; of a run about all rows with a value, it may be any) goes on at
-- once. Attempts are kept. `was`: the former time. What a restore holds is not among them (`pruned
-- release`).
WITH held AS (
  SELECT q.job, q.item, q.next_try_at FROM pruned.quarantine q
  WHERE (:job::text IS NULL OR q.job = :job::text) AND
-- include: quarantine_item.sql
    AND NOT (q.parked AND q.reason = 'restored')
  ORDER BY q.job, q.item
  FOR UPDATE),
woken AS (
  UPDATE pruned.runs r SET due_at = now(), changed_at = clock_timestamp()
  FROM held WHERE r.job = held.job AND r.waits_for IS NOT NULL AND (r.waits_for = held.item OR r.args ? 'rows') AND r.state = 'waiting')
UPDATE pruned.quarantine q
SET next_try_at = now(), parked = false
FROM held
WHERE (q.job, q.item) = (held.job, held.item)
RETURNING q.job, q.item, q.reason, q.attempts, q.parked, q.next_try_at, held.next_try_at AS was
