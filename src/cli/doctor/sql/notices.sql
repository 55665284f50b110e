-- Notices that were tried and not told: how many, for how long, and why the last one was not.
SELECT count(*) AS n, pg_catalog.format('%s s', extract(epoch FROM now() - pg_catalog.min(n.at))::bigint) AS age,
       (pg_catalog.array_agg(n.error ORDER BY n.next_try_at DESC))[1] AS error
FROM pruned.notices n
WHERE n.told_at IS NULL AND n.error IS NOT NULL
