-- Roles that can create objects in a schema of the path or in schema pruned and own neither it nor
-- a table in it. Superusers and the owner of the database can do so anyway and are left out.
-- Reads the catalogue only.
SELECT r.name || ' in schema ' || n.nspname::text AS name,
       pg_catalog.format('REVOKE CREATE ON SCHEMA %I FROM %s', n.nspname, CASE r.name WHEN 'PUBLIC' THEN 'PUBLIC' ELSE pg_catalog.quote_ident(r.name) END) AS remedy
FROM pg_namespace n
CROSS JOIN LATERAL (
  SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE (SELECT g.rolname::text FROM pg_roles g WHERE g.oid = a.grantee) END AS name, a.grantee
  FROM pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) AS a
  WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner) AS r
WHERE (n.nspname IN (:app_schema::text, 'pruned') OR n.nspname = ANY (pg_catalog.current_schemas(false)))
  AND NOT EXISTS (SELECT FROM pg_roles s WHERE s.oid = r.grantee AND s.rolsuper)
  AND NOT EXISTS (SELECT FROM pg_database d WHERE d.datname = current_database() AND d.datdba = r.grantee)
  AND NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND c.relowner = r.grantee)
ORDER BY r.name <> 'PUBLIC', r.name, n.nspname
