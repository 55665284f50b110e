-- Owners of the table `:table` and of its partitions, whose rights this role lacks: only an owner
-- detaches and drops. What lies below a partition goes with it, whoever owns it; but to detach
-- concurrently adds a constraint to all of that, so it must be owned too, unless there is a default
-- partition (`beside`). Membership in a superuser is no remedy. Reads the catalogue only.
WITH RECURSIVE tree (oid, beside, level) AS (
  SELECT p.partrelid, p.partdefid <> 0, 0 FROM pg_partitioned_table p WHERE p.partrelid = pg_catalog.to_regclass(:table::text)
  UNION
  SELECT i.inhrelid, t.beside, t.level + 1 FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid WHERE t.level = 0 OR NOT t.beside),
tables AS (
  SELECT c.oid, c.relowner FROM tree t JOIN pg_class c ON c.oid = t.oid)
SELECT pg_catalog.min(t.oid::regclass::text) AS relation, count(*) AS n, r.rolname AS owner,
       CASE WHEN r.rolsuper THEN pg_catalog.string_agg(pg_catalog.format('ALTER TABLE %s OWNER TO %I;', t.oid::regclass, current_user), ' ' ORDER BY t.oid)
            ELSE pg_catalog.format('GRANT %I TO %I;', r.rolname, current_user) END AS remedy
FROM tables t JOIN pg_roles r ON r.oid = t.relowner
WHERE NOT pg_catalog.pg_has_role(t.relowner, 'USAGE')
GROUP BY r.rolname, r.rolsuper
ORDER BY r.rolname
