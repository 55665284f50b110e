-- A run whose row has no entry any more (it was removed, or has changed) need not wait for it; one
-- that waits for what is held is woken when that is released. An erasure waits for its runs
-- instead. Fast by the index on waits_for, which only such runs are in.
UPDATE pruned.runs r SET due_at = now(), changed_at = clock_timestamp()
WHERE r.waits_for <> 'runs' AND r.state = 'waiting' AND r.due_at > now() AND coalesce(r.error, '') NOT LIKE 'kept: %'
  AND NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.job = r.job AND q.item = r.waits_for)
