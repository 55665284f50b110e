-- Tables whose rows row-level security can hide from this role, and a foreign key would delete or
-- change with memberships, at any distance: nobody would see it. Only the catalogue is read.
WITH RECURSIVE tied (rel, goes) AS (
  SELECT pg_catalog.to_regclass('members')::oid, true
  UNION
  SELECT c.conrelid, c.confdeltype = 'c'
  FROM tied t JOIN pg_constraint c ON c.confrelid = t.rel AND c.contype = 'f' AND c.confdeltype IN ('c', 'n', 'd') WHERE t.goes
)
SELECT pg_catalog.format('row-level security hides rows of %s from this role: give it BYPASSRLS',
                         pg_catalog.string_agg(DISTINCT t.rel::regclass::text, ', ')) AS reason
FROM tied t
WHERE t.rel <> pg_catalog.to_regclass('members') AND pg_catalog.row_security_active(t.rel)
HAVING count(*) > 0
