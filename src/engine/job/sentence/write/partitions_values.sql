-- The three commonest upper bounds of partitions of {table} that are due, the oldest of those that
-- are equal in number: of a run that is held.
WITH due AS (
{due}
)
SELECT pruned_v.value, pg_catalog.count(*) AS rows
FROM (SELECT d.upper AS value, d.upper_at AS at FROM due d ORDER BY d.upper_at LIMIT :limit::int) AS pruned_v
GROUP BY pruned_v.value ORDER BY rows DESC, pg_catalog.min(pruned_v.at) LIMIT 3
