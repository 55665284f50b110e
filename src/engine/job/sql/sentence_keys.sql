-- The foreign keys between the tables `:oids` that name one of `:oids`, those of partitions left out. `deltype`: as in pg_constraint. `nullable`: all of its columns.
SELECT pg_catalog.quote_ident(f.conname) AS name, f.conrelid::text AS child, f.confrelid::text AS parent, f.confdeltype AS deltype, f.condeferrable AS deferrable,
       pg_catalog.format('%I.', n.nspname) AS schema,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.unnest(f.conkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum) AS child_columns,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.unnest(f.confkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.attnum) AS parent_columns
FROM pg_constraint f JOIN pg_namespace n ON n.oid = f.connamespace
WHERE f.contype = 'f' AND f.conparentid = 0 AND f.conrelid = ANY (:oids::oid[]) AND f.confrelid = ANY (:oids::oid[])
ORDER BY f.conrelid, f.conname
