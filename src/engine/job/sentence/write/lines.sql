-- The rows `:going` as a file of the archive gets them, a line each, and the digest by which a row
-- is known again. By primary key.
SELECT pruned_k.pruned_key AS key, pg_catalog.jsonb_build_object('key', {key}, 'row', {whole})::text AS line, {digest} AS digest
FROM {table} JOIN {going} ON {match}
ORDER BY pruned_k.pruned_pos
