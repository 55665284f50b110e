-- What is known of the tables `:tab`, read only when their counts do not fit. `there`: it exists.
-- `counted`: PostgreSQL counts its rows; it does not count those of views and foreign tables, nor
-- any with track_counts = off. `touches`: a trigger of the application that runs on one of
-- `:events` (the bits of pg_trigger.tgtype: 4 INSERT, 8 DELETE, 16 UPDATE) may change more rows.
-- `:beside`: rows of the second table were changed without a word; then also foreign keys that
-- change rows themselves (ON DELETE, ON UPDATE) may do so, and triggers of the tables behind them.
WITH RECURSIVE tree (oid) AS (
  SELECT coalesce(pg_catalog.to_regclass(t.tab), pg_catalog.to_regclass(pg_catalog.quote_ident(t.tab)))::oid FROM pg_catalog.unnest(:tab::text[]) AS t (tab)
  UNION
  SELECT below.oid FROM tree CROSS JOIN LATERAL (
    SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE i.inhparent = tree.oid
    UNION ALL
    SELECT k.conrelid FROM pg_catalog.pg_constraint k
    WHERE :beside::boolean AND k.contype = 'f' AND k.confrelid = tree.oid AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))
    OFFSET 0) AS below
)
SELECT pg_catalog.count(c.oid) > 0 AS there,
       pg_catalog.current_setting('track_counts')::bool AND coalesce(pg_catalog.bool_and(c.relkind IN ('r', 'p')), false) AS counted,
       EXISTS (SELECT FROM pg_catalog.pg_trigger t JOIN tree ON tree.oid = t.tgrelid WHERE NOT t.tgisinternal AND t.tgtype & :events::int <> 0)
       OR :beside::boolean AND EXISTS (
            SELECT FROM pg_catalog.pg_constraint k JOIN tree ON tree.oid = k.confrelid
            WHERE k.contype = 'f' AND (k.confdeltype IN ('n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))
              AND k.conrelid = coalesce(pg_catalog.to_regclass((:tab::text[])[2]), pg_catalog.to_regclass(pg_catalog.quote_ident((:tab::text[])[2])))::oid)
       AS touches
FROM tree LEFT JOIN pg_catalog.pg_class c ON c.oid = tree.oid
