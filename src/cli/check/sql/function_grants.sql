-- What grants the current role the functions of this name that it may not call; null if there is
-- none. Reads the catalogue only.
SELECT pg_catalog.string_agg(pg_catalog.format('GRANT EXECUTE ON FUNCTION %I.%I(%s) TO %I;', n.nspname, p.proname,
                                               pg_catalog.pg_get_function_identity_arguments(p.oid), current_user),
                             ' ' ORDER BY p.oid) AS grants
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
WHERE p.proname = :name::text AND NOT pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
