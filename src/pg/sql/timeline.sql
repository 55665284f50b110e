-- The server's system identifier, and its timeline: the first eight digits of a file of its log.
-- NULL on a standby. Runs before the path is set, so it qualifies all names.
SELECT c.system_identifier::pg_catalog.text AS system,
       CASE WHEN NOT pg_catalog.pg_is_in_recovery()
            THEN pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8) END AS timeline
FROM pg_catalog.pg_control_system() c
