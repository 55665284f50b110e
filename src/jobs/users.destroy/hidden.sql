-- Columns that refer to users without a key count like keys: tables whose rows row-level security
-- can hide and that refer to this user. Fast because only the catalogue is read.
WITH
-- include: ../shared/user_references.sql
SELECT DISTINCT r.tab FROM user_reference r WHERE pg_catalog.row_security_active(pg_catalog.to_regclass(pg_catalog.format('%I', r.tab))::oid) ORDER BY 1
