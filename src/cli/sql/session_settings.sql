-- Settings of PostgreSQL that change what is promised, as a session of this role begins with them,
-- and the statement that resets each. Those that every transaction sets itself are not looked at.
SELECT s.name, s.reset_val || CASE WHEN s.unit IS NOT NULL THEN ' ' || s.unit ELSE '' END AS value, o.wrong, o.why,
       coalesce((SELECT CASE WHEN d.setrole = 0 THEN pg_catalog.format('ALTER DATABASE %I RESET %I', b.datname, s.name)
                             WHEN d.setdatabase = 0 THEN pg_catalog.format('ALTER ROLE %I RESET %I', r.rolname, s.name)
                             ELSE pg_catalog.format('ALTER ROLE %I IN DATABASE %I RESET %I', r.rolname, b.datname, s.name) END
                 FROM pg_db_role_setting d JOIN pg_database b ON b.datname = current_database() JOIN pg_roles r ON r.rolname = session_user
                 WHERE d.setdatabase IN (0, b.oid) AND d.setrole IN (0, r.oid)
                   AND EXISTS (SELECT FROM pg_catalog.unnest(d.setconfig) AS c WHERE pg_catalog.starts_with(c, s.name || '='))
                 ORDER BY (d.setdatabase <> 0)::int + 2 * (d.setrole <> 0)::int DESC LIMIT 1),
                pg_catalog.format('ALTER SYSTEM RESET %I; SELECT pg_catalog.pg_reload_conf()', s.name)) AS remedy
FROM pg_settings s
JOIN (VALUES ('zero_damaged_pages', true, 'rows of a damaged page vanish in silence, so what they hold goes'),
             ('ignore_checksum_failure', true, 'what is read from a damaged page may be anything'),
             ('default_transaction_read_only', true, 'nothing can be written: no run does anything, and no command has an effect'),
             ('default_table_access_method', false, 'the days of the audit and of the archive are made as such tables'),
             ('synchronous_commit', false, 'what a step has committed, and told Kafka or a store, can be lost when the server crashes'),
             ('idle_session_timeout', false, 'connections that wait for work end, and the work that comes next waits for new ones')) AS o (name, wrong, why)
  ON o.name = s.name
WHERE CASE s.name WHEN 'default_table_access_method' THEN s.reset_val <> 'heap'
                  WHEN 'idle_session_timeout' THEN s.reset_val::bigint BETWEEN 1 AND 59999
                  WHEN 'synchronous_commit' THEN s.reset_val = 'off'
                  ELSE s.reset_val = 'on' END
ORDER BY s.name
