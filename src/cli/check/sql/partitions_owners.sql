-- Owners of the table `:table` and of its partitions, whose rights this role lacks: only an owner
-- detaches and drops. Membership in a superuser is no remedy. Reads the catalogue only.
WITH tables AS (
  SELECT c.oid, c.relowner FROM pg_class c
  WHERE c.oid = pg_catalog.to_regclass(:table::text)
     OR c.oid IN (SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = pg_catalog.to_regclass(:table::text)))
SELECT pg_catalog.min(t.oid::regclass::text) AS relation, count(*) AS n, r.rolname AS owner,
       CASE WHEN r.rolsuper THEN pg_catalog.string_agg(pg_catalog.format('ALTER TABLE %s OWNER TO %I;', t.oid::regclass, current_user), ' ' ORDER BY t.oid)
            ELSE pg_catalog.format('GRANT %I TO %I;', r.rolname, current_user) END AS remedy
FROM tables t JOIN pg_roles r ON r.oid = t.relowner
WHERE NOT pg_catalog.pg_has_role(t.relowner, 'USAGE')
GROUP BY r.rolname, r.rolsuper
ORDER BY r.rolname
