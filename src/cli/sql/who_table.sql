-- A table's name as the audit has it, and its primary key: its columns, and whether they are
-- numbers or texts. `whose` is the name as PostgreSQL reads it, with or without the schema, or as
-- it stands. No row: there is no such table. Reads the catalogue only.
SELECT c.oid::regclass::text AS name,
       coalesce(pg_catalog.string_agg(a.attname, ', ' ORDER BY pg_catalog.array_position(i.indkey::smallint[], a.attnum)), '') AS columns,
       pg_catalog.count(a.attname) AS n, coalesce(pg_catalog.bool_and(a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype)), false) AS numbers,
       coalesce(pg_catalog.bool_and(a.atttypid IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype)), false) AS texts
FROM pg_class c
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY ((i.indkey::smallint[])[0: (i.indnkeyatts - 1)])
WHERE c.oid = coalesce(CASE WHEN :whose::text ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)([.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*))?$' THEN pg_catalog.to_regclass(:whose::text) END,
                       pg_catalog.to_regclass(pg_catalog.quote_ident(:whose::text))) AND c.relkind IN ('r', 'p')
GROUP BY c.oid
