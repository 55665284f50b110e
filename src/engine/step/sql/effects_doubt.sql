-- What is known of the tables `:tab`, read only when their counts do not fit. `there`: it exists.
-- `counted`: PostgreSQL counts its rows; it does not count those of views and foreign tables, nor
-- any with track_counts = off. `touches`: a trigger of the application that runs on one of
-- `:events` (the bits of pg_trigger.tgtype: 4 INSERT, 8 DELETE, 16 UPDATE) may change more rows.
WITH RECURSIVE tree (oid) AS (
  SELECT coalesce(pg_catalog.to_regclass(t.tab), pg_catalog.to_regclass(pg_catalog.quote_ident(t.tab)))::oid FROM pg_catalog.unnest(:tab::text[]) AS t (tab)
  UNION
  SELECT below.oid FROM tree CROSS JOIN LATERAL (
    SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE i.inhparent = tree.oid OFFSET 0) AS below
)
SELECT pg_catalog.count(c.oid) > 0 AS there,
       pg_catalog.current_setting('track_counts')::bool AND coalesce(pg_catalog.bool_and(c.relkind IN ('r', 'p')), false) AS counted,
       EXISTS (SELECT FROM pg_catalog.pg_trigger t JOIN tree ON tree.oid = t.tgrelid WHERE NOT t.tgisinternal AND t.tgtype & :events::int <> 0) AS touches
FROM tree LEFT JOIN pg_catalog.pg_class c ON c.oid = tree.oid
