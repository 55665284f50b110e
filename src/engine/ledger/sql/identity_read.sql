-- The database's identity, and whether it still is where it got it (`same`). One row; `database` is
-- null where `pruned migrate` has not given it one.
SELECT i.database::text AS database, current_database()::text AS name, c.system_identifier::text AS system,
       coalesce(i.system_identifier = c.system_identifier AND i.database_oid = d.oid, true) AS same
FROM pg_control_system() c JOIN pg_database d ON d.datname = current_database() LEFT JOIN pruned.identity i ON true
