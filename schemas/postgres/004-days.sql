-- Schema `pruned`, step 4: rows recorded before their day's partition existed are in the default
-- partition. They neither prevent the partitions of the next days nor the drop of old ones, and are
-- deleted at the same age.
CREATE OR REPLACE FUNCTION pruned.ensure_day(parent text, day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE child text := parent || '_' || to_char(day, 'YYYYMMDD');
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    IF to_regclass('pruned.' || quote_ident(child)) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(hashtext('pruned.ensure_day'));
    EXECUTE format('CREATE TABLE IF NOT EXISTS pruned.%I PARTITION OF pruned.%I FOR VALUES FROM (%L) TO (%L)',
                   child, parent, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
EXCEPTION WHEN check_violation THEN
    NULL; -- rows of that day are in the default partition: the day stays there
END $$;

CREATE OR REPLACE FUNCTION pruned.drop_days(parent text, before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE child text; dropped integer := 0;
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    FOR child IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = to_regclass('pruned.' || quote_ident(parent))
          AND c.relname ~ ('^' || parent || '_\d{8}$') AND right(c.relname, 8) < to_char(before, 'YYYYMMDD')
    LOOP
        EXECUTE format('DROP TABLE pruned.%I', child);
        dropped := dropped + 1;
    END LOOP;
    IF parent = 'deletions' THEN
        DELETE FROM pruned.deletions_default WHERE at < before::timestamp AT TIME ZONE 'UTC';
    END IF;
    RETURN dropped;
END $$;
