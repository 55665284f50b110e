-- A job without decide.sql removes every key of its page.
SELECT k.id AS key, 'removed' AS what, NULL::text AS reason
FROM pg_catalog.unnest(:key::text[]) WITH ORDINALITY AS k (id, pos)
ORDER BY k.pos
