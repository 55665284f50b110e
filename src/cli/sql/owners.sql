-- The current role, the owner of the application's tables (of most of them; the database's owner
-- while there are none), and the owner of schema pruned (null: it does not exist). What the current
-- role lacks to make that schema, and the database's owner, who can grant it (null: nothing). Reads
-- the catalogue only.
SELECT current_user::text AS role, pg_catalog.quote_ident(current_user) AS quoted_role,
       coalesce((SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = :app_schema::text AND c.relkind IN ('r', 'p') GROUP BY c.relowner ORDER BY count(*) DESC LIMIT 1),
                (SELECT pg_catalog.pg_get_userbyid(d.datdba)::text FROM pg_database d WHERE d.datname = current_database())) AS owner,
       (SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'pruned' AND c.relname = 'schema_version') AS ours,
       CASE WHEN NOT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
         THEN pg_catalog.format('GRANT CREATE ON DATABASE %I TO %I', pg_catalog.current_database(), current_user) END AS lacks,
       (SELECT pg_catalog.pg_get_userbyid(d.datdba)::text FROM pg_database d WHERE d.datname = pg_catalog.current_database()) AS of_database
