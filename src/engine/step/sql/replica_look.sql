-- Whether this is a standby of the primary that is called `:identity`, and how much of its log up
-- to `:lsn` it has not replayed. `known`: it shows the run as the step has locked it, so its log is
-- the one in which that was written. The transaction changes nothing, even if this is a standby no
-- more. Reads shared memory, the control file and one run by primary key.
SELECT pg_is_in_recovery() AS standby,
       ((SELECT c.system_identifier::text FROM pg_control_system() c) || '/' || current_database()::text) = :identity::text AS same,
       r.behind, r.behind > 0 AS is_behind,
       CASE WHEN r.behind > 0 THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) ELSE 0 END::float8 AS behind_s,
       CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() ELSE false END AS paused,
       :run_id::uuid IS NULL OR EXISTS (
         SELECT FROM pruned.runs t
         WHERE t.run_id = :run_id::uuid AND t.step = :step::int AND t.attempts = :attempts::int AND t.state || '' = 'ready') AS known,
       pg_catalog.set_config('transaction_read_only', 'on', true)
FROM (SELECT greatest(pg_catalog.pg_wal_lsn_diff(:lsn::pg_lsn, coalesce(pg_last_wal_replay_lsn(), '0/0')), 0)::bigint AS behind) AS r
