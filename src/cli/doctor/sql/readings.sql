-- The last run of each job whose second reading disagrees, unless the job was resumed since. Fast
-- by an index of just these.
SELECT DISTINCT ON (x.job) x.job, x.run_id, x.named -> 0 ->> 'table' AS tab, x.named -> 0 ->> 'key' AS key, x.named -> 0 ->> 'says' AS says
FROM pruned.readings x
WHERE x.wrong + x.left_over + x.lost > 0
  AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = x.job AND NOT c.paused AND c.changed_at > x.at)
ORDER BY x.job, x.at DESC
