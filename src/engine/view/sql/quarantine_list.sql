-- Items that failed: the parked ones, or with `:all` all of them. For a parked item `next_try_at`
-- is the time of its automatic retry, after its job's `:days`; it is null if there is none (`:days`
-- is 0). An entry beside the hold of a restored row has not failed.
SELECT q.job, q.item, q.reason, q.attempts, q.parked,
       CASE WHEN q.parked AND q.next_try_at <= now() THEN q.next_try_at + nullif(d.days, 0)::float8 * interval '1 day'
            ELSE q.next_try_at END AS next_try_at
FROM pruned.quarantine q LEFT JOIN unnest(:jobs::text[], :days::int[]) AS d (job, days) ON d.job = q.job
WHERE (q.parked OR :all::boolean) AND NOT (q.parked AND q.reason = 'restored')
  AND (:job::text IS NULL OR q.job = :job::text)
ORDER BY q.job, q.first_at, q.item LIMIT :limit::bigint
