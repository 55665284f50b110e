-- Whether a trigger on one of the tables waits for the end of the transaction. Fast by an index of
-- the catalogue.
SELECT EXISTS (
  SELECT FROM pg_catalog.unnest(:tables::text[]) AS n (tab)
  JOIN pg_trigger t ON t.tgrelid = pg_catalog.to_regclass(n.tab)::oid
  WHERE t.tginitdeferred AND NOT t.tgisinternal) AS waits
