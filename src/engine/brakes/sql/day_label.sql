-- The label of the count that holds. It names the start of this server, because a crash or a
-- fail-over can lose the last commits.
SELECT d.label::text || ' ' || pg_catalog.pg_postmaster_start_time()::text AS label FROM pruned.days d WHERE d.job = :job::text
