-- Tables in which rows can go or change with those of the tables `:tables`.
WITH RECURSIVE
-- include: keys_touched.sql
SELECT coalesce(pg_catalog.array_agg(t.rel)::text, '{}') AS rels FROM touched t WHERE t.rel IS NOT NULL
