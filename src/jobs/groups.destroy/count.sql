-- The run's own rows: the group and the groups below it. Fast by the index on traversal_ids, and it
-- stops at the limit.
SELECT count(*) AS n
FROM (SELECT FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[(:args::jsonb ->> 'group_id')::bigint] AND n.type::text = 'Group' LIMIT :limit::bigint) AS o
