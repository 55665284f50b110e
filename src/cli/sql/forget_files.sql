-- The files of an archive that have the row, or one with it as `user_id`: `pruned forget` changes
-- none of them. Records are found by the index on their keys and users (deletions_named), before
-- they lose the row.
SELECT DISTINCT d.archived_in AS path
FROM pruned.deletions d
WHERE d.archived_in IS NOT NULL
  AND d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]') @> pg_catalog.jsonb_build_array(:key::jsonb)
  AND CASE WHEN pg_catalog.to_regclass(d.table_name) = pg_catalog.to_regclass(:whose::text) THEN d.keys @> pg_catalog.jsonb_build_array(:key::jsonb)
           ELSE :whose::text = 'users' AND pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id') @> pg_catalog.jsonb_build_array(:key::jsonb) END
ORDER BY path
