-- The places, from 1, of the names of `:relation` that are no tables. Reads the catalogue only.
SELECT u.n FROM pg_catalog.unnest(:relation::text[]) WITH ORDINALITY AS u (relation, n)
WHERE pg_catalog.to_regclass(u.relation) IS NULL
ORDER BY u.n
