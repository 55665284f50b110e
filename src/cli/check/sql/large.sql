-- The tables of `:rows` rows or more, by the two names that a plan and a sentence give them. Reads
-- the catalogue only.
SELECT c.relname AS name, c.oid::regclass::text AS relation FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.reltuples >= :rows::bigint::float8
