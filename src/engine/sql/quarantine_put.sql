-- Items that failed: one more attempt; the next try after n^4 + 15 + rand(0..9) * (n + 1) seconds, at most a day; parked after the last.
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at)
SELECT :job::text, u.item, u.reason, 1, u.park_after <= 1, now() + (15 + floor(random() * 10)) * interval '1 s'
FROM unnest(:item::text[], :reason::text[], :park_after::int[]) AS u (item, reason, park_after)
ORDER BY u.item
ON CONFLICT (job, item) DO UPDATE
SET reason = excluded.reason, attempts = q.attempts + 1,
    parked = excluded.parked OR q.attempts + 1 >= (SELECT min(u.park_after) FROM unnest(:item::text[], :park_after::int[]) AS u (item, park_after)
                                WHERE u.item = q.item),
    next_try_at = now() + least(86400, power(q.attempts, 4) + 15 + floor(random() * 10) * (q.attempts + 1)) * interval '1 s'
