-- Items that failed; unless all are asked for, those that are parked. `next_try_at` of one that is parked is when it is tried by itself, after
-- its job's `:days` (0: never, as what a restore holds: null).
SELECT q.job, q.item, q.reason, q.attempts, q.parked,
       CASE WHEN q.parked AND q.reason = 'restored' THEN NULL
            WHEN q.parked AND q.next_try_at <= now() THEN q.next_try_at + nullif(d.days, 0) * interval '1 day'
            ELSE q.next_try_at END AS next_try_at
FROM pruned.quarantine q LEFT JOIN unnest(:jobs::text[], :days::int[]) AS d (job, days) ON d.job = q.job
WHERE q.parked OR :all::boolean
ORDER BY q.job, q.first_at, q.item
