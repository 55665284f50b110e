-- A run whose row has no entry any more (it was removed, or has changed) need not wait for it,
-- unless `pruned restore` holds the row for another job. An erasure waits for its runs instead.
-- Fast by the index on waits_for, which only such runs are in.
UPDATE pruned.runs r SET due_at = now(), changed_at = clock_timestamp()
WHERE r.waits_for <> 'runs' AND r.state = 'waiting' AND r.due_at > now()
  AND NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.job = r.job AND q.item = r.waits_for)
  AND NOT EXISTS (SELECT FROM pruned.quarantine h WHERE h.item = r.waits_for AND h.parked AND h.reason = 'restored')
