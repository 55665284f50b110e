-- The columns of reference_list.sql as two lists, for catalogue.sql. Reads no table.
WITH
-- include: reference_list.sql
SELECT pg_catalog.array_agg(l.tab) AS tables, pg_catalog.array_agg(l.col) AS columns FROM reference_list l
