-- The state of the indexes that jobs need (name, table, the rest of the statement from the column
-- list on), and the statements that make and drop each, with quoted names. An index of another
-- name with the same columns will do, too.
SELECT u.name,
       c.oid IS NOT NULL AS has_table,
       coalesce(pg_catalog.bool_or(x.indisvalid AND (i.relname = u.name OR same.columns = u.rest)), false) AS there,
       coalesce(pg_catalog.bool_or(NOT x.indisvalid AND i.relname = u.name), false) AS invalid,
       pg_catalog.format('CREATE %sINDEX CONCURRENTLY %I ON %I.%I %s', u.kind, u.name, n.nspname, u.relation, u.rest) AS make,
       pg_catalog.format('DROP INDEX CONCURRENTLY IF EXISTS %I.%I', n.nspname, u.name) AS remove
FROM unnest(:name::text[], :relation::text[], :kind::text[], :rest::text[]) WITH ORDINALITY
         u(name, relation, kind, rest, position)
JOIN pg_namespace n ON n.nspname = :app_schema::text
LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = u.relation AND c.relkind IN ('r', 'p')
LEFT JOIN pg_index x ON x.indrelid = c.oid
LEFT JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN LATERAL (SELECT pg_catalog.regexp_replace(pg_catalog.pg_get_indexdef(x.indexrelid), '^.*? USING btree ', '') AS columns) same ON true
GROUP BY u.position, u.name, u.relation, u.kind, u.rest, c.oid, n.nspname
ORDER BY u.position
