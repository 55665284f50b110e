-- Will anything happen by itself? Back-offs (their rows have an error), later times, paused jobs, a
-- stop, and jobs that are off or not in force here do not count; a run that looks again at rows
-- that were busy does, and an erasure whose runs let it go on. A run that waits for another of
-- its key asks again within a second (take_key.sql).
SELECT EXISTS (SELECT FROM pruned.unpublished p WHERE p.step < 0 OR p.job = ANY (:job::text[]))
    OR EXISTS (SELECT FROM pruned.runs r
               WHERE (r.state = 'ready' OR r.state = 'waiting' AND (r.due_at <= now() + interval '1 s' OR (r.step > 0 AND r.error IS NULL AND r.waits_for IS NULL) OR r.error LIKE 'throttled: %' OR r.error LIKE 'busy: %')
                    OR
                    -- include: ../step/sql/erasure_goes_on.sql
                   )
               AND r.job = ANY (:job::text[])
               AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused AND coalesce(c.paused_until > now(), true))
               AND NOT EXISTS (SELECT FROM pruned.stop s WHERE s.stopped)) AS busy
