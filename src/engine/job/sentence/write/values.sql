-- The three commonest values of {due_column}, among so many rows of {table} that are due: of a run
-- that is held. Of a time its day.
SELECT pruned_v.value, pg_catalog.count(*) AS rows
FROM (SELECT CASE WHEN pg_catalog.pg_typeof({own}.{due_column}) OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.timestamptz', 'pg_catalog.timestamp']::regtype[])
                  THEN pg_catalog.split_part({own}.{due_column}::text, ' ', 1) ELSE {own}.{due_column}::text END AS value
      FROM {table} WHERE ({due}) LIMIT :limit::int) AS pruned_v
GROUP BY pruned_v.value ORDER BY rows DESC, value LIMIT 3
