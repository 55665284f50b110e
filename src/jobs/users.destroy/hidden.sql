-- Columns that refer to users without a key are as good as keys: tables of which row-level security may hide rows that name this one. Fast because
-- only the catalogue is read.
WITH
-- include: ../shared/user_references.sql
SELECT DISTINCT r.tab FROM user_reference r WHERE pg_catalog.row_security_active(pg_catalog.to_regclass(pg_catalog.format('%I', r.tab))::oid) ORDER BY 1
