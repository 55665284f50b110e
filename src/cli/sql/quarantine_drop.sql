-- Deletes items from quarantine. If one fails again, the job counts its attempts from the start. A
-- run that waits for one goes on at once. What a restore holds is not among them (`pruned
-- release`).
WITH dropped AS (
  DELETE FROM pruned.quarantine q
  WHERE (:job::text IS NULL OR q.job = :job::text) AND NOT (q.parked AND q.reason = 'restored') AND
-- include: quarantine_item.sql
  RETURNING job, item, reason, attempts, parked, next_try_at),
woken AS (
  UPDATE pruned.runs r SET due_at = now(), changed_at = clock_timestamp()
  FROM dropped d WHERE r.job = d.job AND r.waits_for IS NOT NULL AND (r.waits_for = d.item OR r.args ? 'rows') AND r.state = 'waiting')
SELECT job, item, reason, attempts, parked, next_try_at FROM dropped
