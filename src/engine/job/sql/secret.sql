-- A part of each statement that writes the audit (job_files_audit.c): the columns of {table} that
-- are not recorded (`names`), how its rows are named (`of_key`; schemas/postgres/031-secrets.sql),
-- how they are recorded, and what that holds for: each change of a table's columns leaves another
-- `xmin` in the catalogue. The first statement on a table in a transaction looks for them and
-- leaves what it finds in a setting.
secret AS MATERIALIZED (
  SELECT pruned_own_how.found[3:] AS names, pruned_own_how.found[2] AS of_key, pruned_own_how.how, pruned_own_how.how || ' ' || pruned_own_how.found[1] AS definition
  FROM (SELECT s.found, coalesce(:audit_of::jsonb ->> '{table}', :audit::text) AS how
        FROM (SELECT coalesce(nullif(pg_catalog.current_setting('{setting}', true), ''), pg_catalog.set_config('{setting}',
            ((SELECT c.xmin::text FROM pg_catalog.pg_class c WHERE c.oid = t.oid) || pruned.secret_columns(t.oid, :secret::text, :record::jsonb))::text, true))::text[] AS found
          FROM (SELECT coalesce(pg_catalog.to_regclass('{table}'), pg_catalog.to_regclass(pg_catalog.quote_ident('{table}')))::oid AS oid) AS t) AS s) AS pruned_own_how)
