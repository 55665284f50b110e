-- Who owns schema pruned or something in it and is neither `:role` (null: the current role), nor a
-- role whose rights it has as a member, nor the database's owner, nor a superuser; a row for each,
-- with the statements that make `:role` the owner. A superuser has the rights of every role, so
-- memberships are read from the catalogue. Reads the catalogue only.
WITH RECURSIVE ours (oid) AS (
  SELECT r.oid FROM pg_roles r WHERE r.rolname = coalesce(:role::text, current_user::text)
  UNION
  SELECT m.roleid FROM ours o JOIN pg_auth_members m ON m.member = o.oid WHERE pg_catalog.pg_has_role(o.oid, m.roleid, 'USAGE')
),
things (class, oid) AS (
  SELECT 'pg_namespace'::regclass, n.oid FROM pg_namespace n WHERE n.nspname = 'pruned'
  UNION
  SELECT d.classid, d.objid
  FROM pg_namespace n JOIN pg_depend d ON d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid
  WHERE n.nspname = 'pruned'
)
SELECT r.rolname::text AS owner, coalesce(:role::text, current_user::text) AS role,
       pg_catalog.array_to_string((pg_catalog.array_agg(i.type || ' ' || i.identity ORDER BY i.type <> 'schema', i.type, i.identity))[1:3], ', ')
       || CASE WHEN count(*) > 3 THEN pg_catalog.format(' and %s more', count(*) - 3) ELSE '' END AS things,
       pg_catalog.string_agg(pg_catalog.format('ALTER %s %s OWNER TO %I', i.type, i.identity, coalesce(:role::text, current_user::text)), '; '
                             ORDER BY i.type <> 'schema', i.type, i.identity) AS remedy
FROM things t
JOIN pg_database d ON d.datname = current_database()
JOIN pg_shdepend s ON s.dbid = d.oid AND s.classid = t.class AND s.objid = t.oid AND s.deptype = 'o'
JOIN pg_roles r ON r.oid = s.refobjid
CROSS JOIN LATERAL pg_catalog.pg_identify_object(t.class, t.oid, 0) AS i
WHERE NOT r.rolsuper AND r.oid <> d.datdba AND r.rolname <> 'pg_database_owner' AND r.oid NOT IN (SELECT o.oid FROM ours o)
GROUP BY r.rolname
ORDER BY r.rolname
