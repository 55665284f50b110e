-- This is where the database is; with `:anew`, or where it had none, it gets another identity.
INSERT INTO pruned.identity (database, system_identifier, database_oid)
SELECT pg_catalog.gen_random_uuid(), c.system_identifier, d.oid
FROM pg_control_system() c JOIN pg_database d ON d.datname = current_database()
ON CONFLICT (one) DO UPDATE
SET database = CASE WHEN :anew::boolean THEN excluded.database ELSE pruned.identity.database END,
    system_identifier = excluded.system_identifier, database_oid = excluded.database_oid
RETURNING database::text AS database
