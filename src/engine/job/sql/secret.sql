-- A part of each statement that writes the audit (job_files_audit.c): the columns of {table} that
-- are not recorded (`names`), how its rows are named (`of_key`; schemas/postgres/031-secrets.sql),
-- and how they are recorded. The first statement on a table in a transaction looks for them and
-- leaves what it finds in a setting. It also sees that the table is the one whose records were read
-- back (schemas/postgres/039-records.sql).
secret AS MATERIALIZED (
  SELECT s.found[2:] AS names, s.found[1] AS of_key, coalesce(:audit_of::jsonb ->> '{table}', :audit::text) AS how
  FROM (SELECT coalesce(nullif(pg_catalog.current_setting(o.setting, true), ''), pg_catalog.set_config(o.setting, pruned.secret_columns(
      pruned.recorded_table('{table}', :audit.proven::text), :secret::text, :record::jsonb)::text, true))::text[] AS found
    FROM (SELECT pg_catalog.concat('{setting}_', :audit.proven::text)) AS o (setting)) AS s)
