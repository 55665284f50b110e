-- For whom rights are printed, with names quoted for SQL. `owns`: the role owns schema pruned, so
-- that taking rights back would take its own. `known`: the role exists. `unknown`: tables of pruned
-- that the list `:name` lacks. Reads the catalogue only.
SELECT pg_catalog.quote_ident(r.name) AS role, r.name AS bare, pg_catalog.quote_ident(:app_schema::text) AS app_schema,
       EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = 'pruned' AND pg_catalog.pg_get_userbyid(n.nspowner) = r.name) AS owns,
       EXISTS (SELECT FROM pg_roles o WHERE o.rolname = r.name) AS known,
       (SELECT pg_catalog.string_agg('pruned.' || c.relname::text, ', ' ORDER BY c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'pruned' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL (:name::text[])) AS unknown
FROM (SELECT coalesce(:role::text, current_user::text) AS name) AS r
