-- Whether the table `:tab` has a trigger that runs before a statement that deletes or updates, and
-- so before a row is asked or written. Only the catalogue is read.
SELECT EXISTS (
  SELECT FROM pg_catalog.pg_trigger t
  WHERE t.tgrelid = coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:tab::text)))::oid
    AND t.tgenabled <> 'D' AND t.tgtype & 3 = 2 AND t.tgtype & 24 <> 0) AS before
