-- The foreign keys between the tables `:oids` that name one of `:oids`, those of partitions left
-- out (a copy for a partition that is referred to counts). `emptied`: the columns that ON DELETE
-- SET NULL or DEFAULT names (PostgreSQL 15), NULL: all. `deltype`: as in pg_constraint. `full`:
-- MATCH FULL.
SELECT pg_catalog.quote_ident(f.conname) AS name, f.conrelid::text AS child, f.confrelid::text AS parent, f.confdeltype AS deltype, f.condeferrable AS deferrable, f.confmatchtype = 'f' AS full,
       pg_catalog.format('%I.', n.nspname) AS schema,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.unnest(f.conkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum) AS child_columns,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.jsonb_array_elements_text(NULLIF(pg_catalog.to_jsonb(f) -> 'confdelsetcols', 'null')) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum::int) AS emptied,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.unnest(f.confkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.attnum) AS parent_columns
FROM pg_constraint f JOIN pg_namespace n ON n.oid = f.connamespace
WHERE f.contype = 'f' AND (f.conparentid = 0 OR EXISTS (SELECT FROM pg_constraint p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid AND p.confrelid <> f.confrelid)) AND f.conrelid = ANY (:oids::oid[]) AND f.confrelid = ANY (:oids::oid[])
ORDER BY f.conrelid, f.conname
