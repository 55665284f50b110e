-- About how many rows a table has. Reads the catalogue only.
SELECT greatest(c.reltuples, 0)::bigint AS n FROM pg_class c WHERE c.oid = pg_catalog.to_regclass(pg_catalog.quote_ident(:relation::text))
