-- Sets the search_path of the transaction, and returns it: PostgreSQL's schema, that of the
-- application's tables (`:app_schema`), those of `:schemas` (a list of names as SQL writes them),
-- and last the temporary one. `auto`: the schemas that a session of the owner of most of these
-- tables has in its path, by what ALTER ROLE or ALTER DATABASE says, else by what this session has
-- begun with. Left out of these are schemas with tables, so that no name of a table means another
-- one than before, except tables of extensions; and those of which anyone could make operators and
-- functions that this role would run: anyone but superusers, this role, and the owners of the
-- database and of the application's tables. A superuser is a member of the role that made the
-- server (10), which needs no right to read pg_roles. Reads the catalogue only.
WITH owner AS MATERIALIZED (
  SELECT c.relowner AS oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = :app_schema::text AND c.relkind IN ('r', 'p') GROUP BY c.relowner ORDER BY count(*) DESC LIMIT 1
),
trusted (oid) AS MATERIALIZED (
  SELECT pg_catalog.to_regrole(pg_catalog.quote_ident(r.name))::oid FROM (VALUES (current_user::text), (session_user::text), ('pg_database_owner')) AS r (name)
  UNION ALL
  SELECT o.oid FROM owner o
  UNION ALL
  SELECT d.datdba FROM pg_database d WHERE d.datname = pg_catalog.current_database()
),
said AS (
  SELECT coalesce(
    (SELECT pg_catalog.substr(c.text, pg_catalog.length('search_path=') + 1)
     FROM pg_db_role_setting s CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) AS c (text)
     WHERE pg_catalog.starts_with(c.text, 'search_path=')
       AND s.setdatabase IN (0, (SELECT d.oid FROM pg_database d WHERE d.datname = pg_catalog.current_database()))
       AND (s.setrole = 0 OR s.setrole IN (SELECT o.oid FROM owner o))
     ORDER BY s.setrole = 0, s.setdatabase = 0 LIMIT 1),
    (SELECT s.reset_val FROM pg_catalog.pg_settings s WHERE s.name = 'search_path')) AS path
),
listed (name, n) AS (
  SELECT CASE WHEN m.part[1] = '$user' THEN (SELECT pg_catalog.pg_get_userbyid(o.oid)::text FROM owner o)
              ELSE coalesce(pg_catalog.replace(m.part[1], '""', '"'), pg_catalog.lower(m.part[2])) END, m.n
  FROM said CROSS JOIN LATERAL pg_catalog.regexp_matches(CASE WHEN :schemas::text = 'auto' THEN said.path ELSE coalesce(:schemas::text, '') END,
                                                         '"((?:[^"]|"")+)"|([^[:space:],"]+)', 'g') WITH ORDINALITY AS m (part, n)
),
taken (name, n) AS (
  SELECT l.name, pg_catalog.min(l.n)
  FROM listed l LEFT JOIN pg_namespace n ON n.nspname = l.name
  WHERE l.name NOT IN (:app_schema::text, 'pg_catalog', 'pg_temp', 'pruned', 'information_schema')
    AND (:schemas::text IS DISTINCT FROM 'auto'
         OR n.oid IS NOT NULL
            AND NOT EXISTS (SELECT FROM (SELECT n.nspowner AS oid
                                         UNION ALL
                                         SELECT a.grantee FROM pg_catalog.aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE') AS c
                            WHERE NOT EXISTS (SELECT FROM trusted t WHERE t.oid = c.oid)
                              AND (c.oid = 0::oid OR NOT pg_catalog.pg_has_role(c.oid, 10::oid, 'MEMBER')))
            AND NOT EXISTS (SELECT FROM pg_class c
                            WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                              AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')))
  GROUP BY l.name
)
SELECT pg_catalog.set_config('search_path', pg_catalog.concat_ws(', ', 'pg_catalog', pg_catalog.quote_ident(:app_schema::text),
         (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(t.name), ', ' ORDER BY t.n) FROM taken t), 'pg_temp'), true) AS path
