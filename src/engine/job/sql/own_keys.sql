-- A part of what is made of a user's file of apply/ (job_files_audit.c): the columns of the primary
-- key of the table that the file is named after; none, if it has none. Reads the catalogue only,
-- once for each statement.
pruned_own_keys AS MATERIALIZED (
  SELECT ARRAY(
    SELECT pruned_own_column.attname::text
    FROM pg_catalog.pg_index AS pruned_own_index
    CROSS JOIN LATERAL pg_catalog.unnest((pruned_own_index.indkey::smallint[])[0: (pruned_own_index.indnkeyatts - 1)]) AS pruned_own_place (attnum)
    JOIN pg_catalog.pg_attribute AS pruned_own_column
      ON pruned_own_column.attrelid = pruned_own_index.indrelid AND pruned_own_column.attnum = pruned_own_place.attnum
    WHERE pruned_own_index.indisprimary
      AND pruned_own_index.indrelid = coalesce(pg_catalog.to_regclass('{table}'), pg_catalog.to_regclass(pg_catalog.quote_ident('{table}')))::oid) AS names)
