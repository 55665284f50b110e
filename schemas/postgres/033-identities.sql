-- Schema `pruned`, step 33: each table has a replica identity, so that no publication of the user's
-- (FOR ALL TABLES) refuses an UPDATE or a DELETE.
-- compatible_from: 15

-- Those without a primary key: the whole row is the identity. Partitions have their own.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT c.relname::text FROM pg_catalog.pg_class c
                WHERE c.relnamespace = 'pruned'::regnamespace AND c.relkind IN ('r', 'p') AND c.relreplident = 'd'
                  AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)
                ORDER BY c.relname
    LOOP
        EXECUTE pg_catalog.format('ALTER TABLE pruned.%I REPLICA IDENTITY FULL', name);
    END LOOP;
END $$;

-- As step 10 has it; a new day of the audit gets its identity, too.
CREATE OR REPLACE FUNCTION pruned.ensure_day(parent text, day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE child text := parent || '_' || pg_catalog.to_char(day, 'YYYYMMDD');
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    IF pg_catalog.to_regclass('pruned.' || pg_catalog.quote_ident(child)) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.ensure_day'));
    IF pg_catalog.to_regclass('pruned.' || pg_catalog.quote_ident(child)) IS NOT NULL THEN RETURN; END IF;
    EXECUTE pg_catalog.format('CREATE TABLE IF NOT EXISTS pruned.%I PARTITION OF pruned.%I FOR VALUES FROM (%L) TO (%L)',
                              child, parent, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    IF parent = 'deletions' THEN
        EXECUTE pg_catalog.format('ALTER TABLE pruned.%I REPLICA IDENTITY FULL', child);
    END IF;
EXCEPTION WHEN check_violation THEN
    NULL; -- rows of that day are in the default partition: the day stays there
END $$;
