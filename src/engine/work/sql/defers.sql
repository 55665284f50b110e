-- Whether some trigger waits for the end of its transaction (`defers`); a foreign key that does
-- only fails sooner. `stirs`: the table `:tab`, or a partition of it, has triggers before rows go
-- or change: what such a trigger sets for the transaction holds for the rows behind it in the same
-- statement.
WITH RECURSIVE tree (oid) AS (
  SELECT coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:tab::text)))::oid
  UNION ALL
  SELECT below.oid FROM tree CROSS JOIN LATERAL (
    SELECT i.inhrelid AS oid FROM pg_catalog.pg_inherits i WHERE i.inhparent = tree.oid OFFSET 0) AS below
)
SELECT EXISTS (SELECT FROM pg_catalog.pg_trigger t WHERE t.tginitdeferred AND NOT t.tgisinternal) AS defers,
       EXISTS (SELECT FROM tree CROSS JOIN LATERAL (
         SELECT FROM pg_catalog.pg_trigger t
         WHERE t.tgrelid = tree.oid AND t.tgenabled <> 'D' AND t.tgconstraint = 0 AND t.tgtype & 2 <> 0 AND t.tgtype & 24 <> 0 OFFSET 0) AS t) AS stirs
