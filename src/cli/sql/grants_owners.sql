-- Roles that own the tables `:relation` (names as SQL writes them) of jobs that drop partitions, or
-- partitions of these, and the statement that makes `:role` (quoted) a member of each. How deep, is
-- said in partitions_owners.sql. Reads the catalogue only.
WITH RECURSIVE
-- include: located.sql
,
tree (oid, beside, level) AS (
  SELECT l.rel, coalesce(p.partdefid <> 0, false), 0 FROM located l LEFT JOIN pg_partitioned_table p ON p.partrelid = l.rel
  UNION
  SELECT i.inhrelid, t.beside, t.level + 1 FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid WHERE t.level = 0 OR NOT t.beside)
SELECT pg_catalog.min(c.oid::regclass::text) AS relation, r.rolsuper AS superuser, pg_catalog.format('GRANT %I TO %s', r.rolname, :role::text) AS sql
FROM tree t
JOIN pg_class c ON c.oid = t.oid
JOIN pg_roles r ON r.oid = c.relowner
WHERE pg_catalog.quote_ident(r.rolname) <> :role::text
GROUP BY r.rolname, r.rolsuper
ORDER BY r.rolname
