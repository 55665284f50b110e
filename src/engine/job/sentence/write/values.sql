-- The three commonest values of {due_column}, among so many rows of {table} that are due: of a run
-- that is held.
SELECT pruned_v.value, pg_catalog.count(*) AS rows
FROM (SELECT {own}.{due_column}::text AS value FROM {table} WHERE ({due}) LIMIT :limit::int) AS pruned_v
GROUP BY pruned_v.value ORDER BY rows DESC, value LIMIT 3
