-- In place of secret.sql, if the records are read back: also the table itself (`oid`), and what is
-- remembered of it (`definition`): each change of a table leaves another `xmin` in the catalogue.
secret AS MATERIALIZED (
  SELECT s.found[4:] AS names, s.found[3] AS of_key, coalesce(:audit_of::jsonb ->> '{table}', :audit::text) AS how, s.found[1]::oid AS oid, s.found[2] AS definition
  FROM (SELECT coalesce(nullif(pg_catalog.current_setting('{setting}', true), ''), pg_catalog.set_config('{setting}', (
      SELECT ARRAY[coalesce(t.oid, 0)::text, coalesce((SELECT c.xmin::text FROM pg_catalog.pg_class c WHERE c.oid = t.oid), '')]
             OPERATOR(pg_catalog.||) pruned.secret_columns(t.oid, :secret::text, :record::jsonb)
      FROM (SELECT pruned.recorded_table('{table}', nullif(:audit.proven::text, '?')) AS oid OFFSET 0) AS t)::text, true))::text[] AS found) AS s)
