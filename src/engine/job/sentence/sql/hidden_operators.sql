-- The first operator that a session of the application may take in a text and this one would not:
-- one of a type that is not PostgreSQL's, in a schema that is not in the path, while PostgreSQL has
-- one of the same name that takes such a value after a conversion, or a value of any type.
-- `:words`: the names and operators in the text; `:tables`: those that the text need not name.
-- Looked at are columns that the text names, of these tables and of those that it names, and types
-- that it names; and what these are made of. `schema`: where the operator is;
-- `usable`: whether this role may use it. Reads the catalogue only, by name.
WITH RECURSIVE near (rel) AS (
  SELECT pg_catalog.to_regclass(t.name)::oid FROM pg_catalog.unnest(:tables::text[]) AS t (name)
  UNION
  SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relname::text = ANY (:words::text[]) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND (pg_catalog.pg_table_is_visible(c.oid) OR n.nspname::text = ANY (:words::text[]))
),
part (oid, place) AS (
  SELECT a.atttypid, pg_catalog.format('column %I of %s', a.attname, a.attrelid::regclass)
  FROM near r JOIN pg_attribute a ON a.attrelid = r.rel AND a.attnum > 0 AND NOT a.attisdropped AND a.attname::text = ANY (:words::text[])
  UNION
  SELECT t.oid, pg_catalog.format('type %s', t.oid::regtype) FROM pg_type t WHERE t.typname::text = ANY (:words::text[]) AND t.typrelid = 0 AND t.typnamespace <> 'pg_catalog'::regnamespace
  UNION
  SELECT x.oid, p.place
  FROM part p JOIN pg_type t ON t.oid = p.oid
  CROSS JOIN LATERAL (
    SELECT t.typbasetype AS oid WHERE t.typtype = 'd'
    UNION ALL SELECT t.typelem WHERE t.typelem <> 0 AND t.typlen = -1
    UNION ALL SELECT r.rngsubtype FROM pg_range r WHERE r.rngtypid = t.oid
    UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) AS x
)
SELECT p.place, pg_catalog.format('%I.%s', n.nspname, o.oprname) AS operator, pg_catalog.format_type(t.oid, -1) AS type,
       pg_catalog.quote_ident(n.nspname) AS schema, pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS usable
FROM part p
JOIN pg_type t ON t.oid = p.oid AND t.typnamespace <> 'pg_catalog'::regnamespace
JOIN pg_operator o ON t.oid IN (o.oprleft, o.oprright)
JOIN pg_namespace n ON n.oid = o.oprnamespace
WHERE n.nspname <> ALL (pg_catalog.current_schemas(true))
  AND EXISTS (SELECT FROM pg_operator m WHERE m.oprname = o.oprname AND m.oprnamespace = 'pg_catalog'::regnamespace)
  AND (t.typtype IN ('c', 'e', 'm', 'r') OR EXISTS (SELECT FROM pg_cast k WHERE k.castsource = t.oid AND k.castcontext = 'i'))
ORDER BY o.oprname::text <> ALL (:words::text[]), o.oprname NOT IN ('=', '<>'), p.place LIKE 'type %', p.place, o.oprname, n.nspname
LIMIT 1
