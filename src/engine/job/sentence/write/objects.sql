-- The objects of the rows `:going`. `shared`: a row that stays names the same object, so it stays
-- as well. By primary key, and by an index on {object}.
SELECT pruned_k.pruned_key AS key, ({own}.{object})::text AS object, {shared} AS shared
FROM {table} JOIN {going} ON {match}
WHERE {own}.{object} IS NOT NULL
