-- The names of `:relation` that are no tables, each once, in the order of the list. Reads the
-- catalogue only.
SELECT u.relation
FROM pg_catalog.unnest(:relation::text[]) WITH ORDINALITY AS u (relation, n)
WHERE coalesce(pg_catalog.to_regclass(u.relation), pg_catalog.to_regclass(pg_catalog.quote_ident(u.relation))) IS NULL
GROUP BY u.relation
ORDER BY pg_catalog.min(u.n)
