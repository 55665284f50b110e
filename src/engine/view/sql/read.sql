-- How many runs that began in the last day were read a second time, and how many of their rows. By
-- the index on the time.
SELECT count(*) AS runs, coalesce(pg_catalog.sum(x.read), 0)::bigint AS rows
FROM pruned.readings x WHERE x.at > now() - interval '1 day' AND x.read IS NOT NULL
