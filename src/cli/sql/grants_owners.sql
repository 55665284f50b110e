-- Roles that own the tables `:relation` (names as SQL writes them) of jobs that drop partitions, or
-- partitions of these, and the statement that makes `:role` (quoted) a member of each. Reads the
-- catalogue only.
WITH
-- include: located.sql
SELECT pg_catalog.min(c.oid::regclass::text) AS relation, r.rolsuper AS superuser, pg_catalog.format('GRANT %I TO %s', r.rolname, :role::text) AS sql
FROM located l
JOIN pg_class c ON c.oid = l.rel OR c.oid IN (SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = l.rel)
JOIN pg_roles r ON r.oid = c.relowner
WHERE pg_catalog.quote_ident(r.rolname) <> :role::text
GROUP BY r.rolname, r.rolsuper
ORDER BY r.rolname
