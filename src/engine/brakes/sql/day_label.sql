-- Which count holds: of this server, since what it has committed last can be lost with it.
SELECT d.label::text || ' ' || pg_catalog.pg_postmaster_start_time()::text AS label FROM pruned.days d WHERE d.job = :job::text
