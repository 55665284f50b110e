-- The foreign keys between the tables `:oids` that name one of `:oids`, those of partitions left
-- out (a copy for a partition that is referred to counts). `emptied`: the columns that ON DELETE
-- SET NULL or DEFAULT names (PostgreSQL 15), NULL: all. `deltype`, `updtype`: as in pg_constraint.
-- `full`: MATCH FULL. `casts` and `collates`: how PostgreSQL compares a column of the child with
-- that of the parent, where `=` between the two would do it otherwise, null: alike. It takes the
-- operator of the foreign key, so the child's value as that operator's type, and the parent's
-- collation if equal texts can differ in it, else the child's. `operators`: that operator as SQL,
-- with the parent's value on its left, null: the one that PostgreSQL has for exactly the parent's
-- type.
SELECT pg_catalog.quote_ident(f.conname) AS name, f.conrelid::text AS child, f.confrelid::text AS parent, f.confdeltype AS deltype, f.confupdtype AS updtype, f.condeferrable AS deferrable, f.confmatchtype = 'f' AS full,
       pg_catalog.format('%I.', n.nspname) AS schema,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.unnest(f.conkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum) AS child_columns,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.jsonb_array_elements_text(NULLIF(pg_catalog.to_jsonb(f) -> 'confdelsetcols', 'null')) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum::int) AS emptied,
       (SELECT pg_catalog.jsonb_agg(a.attname ORDER BY k.n) FROM pg_catalog.unnest(f.confkey) WITH ORDINALITY AS k (attnum, n)
        JOIN pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.attnum) AS parent_columns,
       (SELECT pg_catalog.jsonb_agg(CASE WHEN r.typtype <> 'p' AND r.oid <> y.oid AND NOT (r.oid = 'text'::regtype AND y.oid = 'varchar'::regtype)
                                         THEN pg_catalog.format_type(r.oid, -1) END ORDER BY k.n)
        FROM ROWS FROM (pg_catalog.unnest(f.conkey), pg_catalog.unnest(f.conpfeqop)) WITH ORDINALITY AS k (attnum, operator, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum
        JOIN pg_operator o ON o.oid = k.operator
        JOIN pg_type r ON r.oid = o.oprright
        CROSS JOIN LATERAL (
          WITH RECURSIVE base (oid) AS (
            SELECT a.atttypid UNION ALL SELECT d.typbasetype FROM base b JOIN pg_type d ON d.oid = b.oid AND d.typtype = 'd')
          SELECT t.oid FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd') AS y) AS casts,
       (SELECT pg_catalog.jsonb_agg(CASE WHEN o.oprnamespace <> 'pg_catalog'::regnamespace OR o.oprleft <> b.atttypid
                                         THEN pg_catalog.format('OPERATOR(%I.%s)', s.nspname, o.oprname) END ORDER BY k.n)
        FROM ROWS FROM (pg_catalog.unnest(f.confkey), pg_catalog.unnest(f.conpfeqop)) WITH ORDINALITY AS k (there, operator, n)
        JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.there
        JOIN pg_operator o ON o.oid = k.operator JOIN pg_namespace s ON s.oid = o.oprnamespace) AS operators,
       (SELECT pg_catalog.jsonb_agg(CASE WHEN a.attcollation = b.attcollation THEN NULL WHEN NOT l.collisdeterministic THEN l.oid::regcollation::text
                                         WHEN NOT m.collisdeterministic THEN m.oid::regcollation::text END ORDER BY k.n)
        FROM ROWS FROM (pg_catalog.unnest(f.conkey), pg_catalog.unnest(f.confkey)) WITH ORDINALITY AS k (here, there, n)
        JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.here
        JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.there
        LEFT JOIN pg_collation m ON m.oid = a.attcollation
        LEFT JOIN pg_collation l ON l.oid = b.attcollation) AS collates
FROM pg_constraint f JOIN pg_namespace n ON n.oid = f.connamespace
WHERE f.contype = 'f' AND (f.conparentid = 0 OR EXISTS (SELECT FROM pg_constraint p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid AND p.confrelid <> f.confrelid)) AND f.conrelid = ANY (:oids::oid[]) AND f.confrelid = ANY (:oids::oid[])
ORDER BY f.conrelid, f.conname
