-- Who asks, and who owns the application's tables (most of them; before there are any, the schema), and ours (null: there are none). Only the catalogue is read.
SELECT current_user::text AS role, pg_catalog.quote_ident(current_user) AS quoted_role,
       coalesce((SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = :app_schema::text AND c.relkind IN ('r', 'p') GROUP BY c.relowner ORDER BY count(*) DESC LIMIT 1),
                (SELECT pg_catalog.pg_get_userbyid(d.datdba)::text FROM pg_database d WHERE d.datname = current_database())) AS owner,
       (SELECT pg_catalog.pg_get_userbyid(c.relowner)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'pruned' AND c.relname = 'schema_version') AS ours
