-- The first of these keys of a table that the audit has: its place in the list, from 0. No row: it
-- has none of them. Found by the index on the keys of records (deletions_named). It runs without
-- sequential scans: the planner does not see that records are wide.
WITH
-- include: spelled.sql
SELECT c.n - 1 AS n
FROM pg_catalog.unnest(:keys::text[]) WITH ORDINALITY AS c (key, n)
WHERE EXISTS (SELECT FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.keys) AS k (key)
              WHERE d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]') @> pg_catalog.jsonb_build_array(c.key::jsonb)
                AND d.table_name IN (SELECT tab FROM names) AND k.key = c.key::jsonb)
ORDER BY c.n LIMIT 1
