-- Items that another session holds. An entry of a row that has failed stays as it is: its attempts
-- and its next try are about that failure.
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at, state)
SELECT :job::text, u.item, 'busy', 1, false, now(), nullif(u.state, '')
FROM unnest(:item::text[], :state::text[]) AS u (item, state)
ORDER BY u.item
ON CONFLICT (job, item) DO UPDATE SET next_try_at = excluded.next_try_at, state = excluded.state WHERE q.reason = 'busy'
