-- Schema `pruned`, step 25: rows of the audit's default partition go by the day, too.
-- compatible_from: 15

-- Drops days before BEFORE, the oldest first and at most three in a call, none younger than its
-- keeping time. A day is its partition and its rows in the default partition.
CREATE OR REPLACE FUNCTION pruned.drop_days(parent text, before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    longest integer;
    newest  date;
    last    date;
    oldest  date;
    gone    text;
    dropped integer := 0;
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    SELECT pg_catalog.max(k.days) INTO longest FROM pruned.keeping k WHERE k.what = parent OR k.what LIKE parent || ':%';
    IF longest IS NULL OR before IS NULL THEN RETURN 0; END IF;
    newest := pruned.newest_day(parent);
    last := least(before, newest - longest);
    WHILE dropped < 3 LOOP
        SELECT pg_catalog.min(d.day) INTO oldest FROM pruned.days_of(parent) d;
        IF parent = 'deletions' THEN
            SELECT least(oldest, (pg_catalog.min(x.at) AT TIME ZONE 'UTC')::date) INTO oldest FROM pruned.deletions_default x;
        END IF;
        EXIT WHEN oldest IS NULL OR oldest >= last;
        FOR gone IN SELECT d.child FROM pruned.days_of(parent) d WHERE d.day = oldest LOOP
            EXECUTE pg_catalog.format('DROP TABLE pruned.%I', gone);
        END LOOP;
        IF parent = 'deletions' THEN
            DELETE FROM pruned.deletions_default x WHERE x.at < (oldest + 1)::timestamp AT TIME ZONE 'UTC' OR x.at = '-infinity';
        END IF;
        dropped := dropped + 1;
    END LOOP;
    IF parent = 'deletions' THEN
        PERFORM pruned.sweep_days(newest, longest);
    END IF;
    RETURN dropped;
END $$;
