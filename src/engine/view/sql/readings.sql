-- The last run of each job whose second reading disagrees, unless the job was resumed since. Fast
-- by an index of just these. And readings of the last day that have not ended within an hour:
-- `says` is null.
(SELECT DISTINCT ON (x.job) x.job, x.run_id, x.named -> 0 ->> 'table' AS tab, x.named -> 0 ->> 'key' AS key, x.named -> 0 ->> 'says' AS says
FROM pruned.readings x
WHERE x.wrong + x.left_over + x.lost > 0
  AND NOT EXISTS (SELECT FROM pruned.controls c WHERE c.job = x.job AND NOT c.paused AND c.changed_at > x.at)
ORDER BY x.job, x.at DESC)
UNION ALL
SELECT x.job, x.run_id, NULL, NULL, NULL FROM pruned.readings x
WHERE x.read IS NULL AND x.at BETWEEN now() - interval '1 day' AND now() - interval '1 hour'
