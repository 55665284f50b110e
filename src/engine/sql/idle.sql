-- Will anything happen by itself? Back-offs (their rows have an error), later times and paused jobs
-- do not count.
SELECT EXISTS (SELECT FROM pruned.unpublished)
    OR EXISTS (SELECT FROM pruned.runs r
               WHERE (r.state = 'ready' OR r.state = 'waiting' AND (r.due_at <= now() OR (r.step > 0 AND r.error IS NULL)))
               AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = r.job AND c.paused)) AS busy
