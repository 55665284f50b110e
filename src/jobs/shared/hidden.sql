-- Tables whose rows row-level security can hide from this role: `:relation` and all that a key ties
-- to these, at any distance, because their rows would be deleted or changed with them, or forbid
-- it, unseen. Not what lies behind `:stays`, whose rows stay. One a row, by name. Fast because only
-- the catalogue is read.
WITH RECURSIVE tied (rel, goes) AS (
  SELECT pg_catalog.to_regclass(pg_catalog.format('%I', r.name))::oid, true FROM pg_catalog.unnest(:relation::text[]) AS r (name) WHERE pg_catalog.to_regclass(pg_catalog.format('%I', r.name)) IS NOT NULL
  UNION
  SELECT c.conrelid, c.confdeltype = 'c' AND c.conrelid::regclass::text <> ALL (:stays::text[]) FROM tied t JOIN pg_constraint c ON c.confrelid = t.rel AND c.contype = 'f' WHERE t.goes
)
SELECT DISTINCT t.rel::regclass::text AS tab FROM tied t WHERE pg_catalog.row_security_active(t.rel) ORDER BY 1
