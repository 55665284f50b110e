-- A part of statements that ask what can change with the tables `:tables`: `touched` has these,
-- their partitions, and what refers to them by a foreign key that removes or changes the referring
-- rows, at any distance. Its triggers call RI_FKey_cascade_del, _setnull_del, _setdefault_del, or
-- the same with _upd. By indexes of the catalogue.
touched (rel) AS (
  SELECT coalesce(pg_catalog.to_regclass(t.name), pg_catalog.to_regclass(pg_catalog.quote_ident(t.name)))::oid FROM pg_catalog.unnest(:tables::text[]) AS t (name)
  UNION
  SELECT n.rel FROM touched t CROSS JOIN LATERAL (
    SELECT i.inhrelid AS rel FROM pg_catalog.pg_inherits i WHERE i.inhparent = t.rel
    UNION ALL
    SELECT g.tgconstrrelid FROM pg_catalog.pg_trigger g WHERE g.tgrelid = t.rel AND g.tgfoid IN (1646, 1650, 1652, 1647, 1651, 1653)
    OFFSET 0) AS n
)
