-- A table's name as the audit has it, and its primary key: its columns (`each`: also whether they
-- hold JSON), and whether they are numbers. `whose` is the name as PostgreSQL reads it, with or
-- without the schema, or as it stands. No row: there is no such table. Reads the catalogue only.
SELECT c.oid::regclass::text AS name,
       coalesce(pg_catalog.string_agg(a.attname, ', ' ORDER BY pg_catalog.array_position(i.indkey::smallint[], a.attnum)), '') AS columns,
       coalesce(pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('name', a.attname, 'json', coalesce(nullif(y.typbasetype, 0), y.oid) IN ('json'::regtype, 'jsonb'::regtype))
                  ORDER BY pg_catalog.array_position(i.indkey::smallint[], a.attnum)) FILTER (WHERE a.attname IS NOT NULL), '[]') AS each,
       pg_catalog.count(a.attname) AS n, coalesce(pg_catalog.bool_and(a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)), false) AS numbers
FROM pg_class c
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY ((i.indkey::smallint[])[0: (i.indnkeyatts - 1)])
LEFT JOIN pg_type y ON y.oid = a.atttypid
WHERE c.oid = coalesce(CASE WHEN :whose::text ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)([.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*))?$' THEN pg_catalog.to_regclass(:whose::text) END,
                       pg_catalog.to_regclass(pg_catalog.quote_ident(:whose::text))) AND c.relkind IN ('r', 'p')
GROUP BY c.oid
