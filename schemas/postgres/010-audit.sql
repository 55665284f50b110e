-- Schema `pruned`, step 10: the audit belongs to the owner. The daemon inserts into it and reads it
-- (`pruned grants`). Functions with the owner's rights drop its days; they keep what the owner has
-- set, whatever they are called with.
--
-- Functions with another role's rights qualify all names, and never use temporary tables: a path
-- without pg_temp begins with it.

-- How many days are kept: `runs_done`, `deletions`, and `deletions:<table>` for rows of one table.
-- The owner writes it (`pruned migrate`, from [audit] and [runs] of the configuration). `swept`:
-- rows of earlier days are deleted.
CREATE TABLE pruned.keeping (
    what  text PRIMARY KEY,
    days  integer NOT NULL CHECK (days > 0),
    swept date
);
INSERT INTO pruned.keeping (what, days) VALUES ('deletions', 30), ('runs_done', 36);

-- `forgotten`: whose rows `pruned forget` has removed from the record of this run, step and table.
ALTER TABLE pruned.deletions DROP CONSTRAINT deletions_action_check;
ALTER TABLE pruned.deletions ADD CONSTRAINT deletions_action_check CHECK (action IN ('deleted', 'updated', 'forgotten'));

CREATE OR REPLACE FUNCTION pruned.ensure_day(parent text, day date) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE child text := parent || '_' || pg_catalog.to_char(day, 'YYYYMMDD');
BEGIN
    IF parent NOT IN ('runs_done', 'deletions') THEN
        RAISE EXCEPTION 'pruned.%: not a table of days', parent;
    END IF;
    IF pg_catalog.to_regclass('pruned.' || pg_catalog.quote_ident(child)) IS NOT NULL THEN RETURN; END IF;
    PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pruned.ensure_day'));
    EXECUTE pg_catalog.format('CREATE TABLE IF NOT EXISTS pruned.%I PARTITION OF pruned.%I FOR VALUES FROM (%L) TO (%L)',
                              child, parent, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
EXCEPTION WHEN check_violation THEN
    NULL; -- rows of that day are in the default partition: the day stays there
END $$;

-- The partitions of single days, the last first.
CREATE FUNCTION pruned.days_of(parent text) RETURNS TABLE (child text, day date)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT c.relname::text, pg_catalog.to_date(pg_catalog.right(c.relname::text, 8), 'YYYYMMDD')
    FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = pg_catalog.to_regclass('pruned.' || pg_catalog.quote_ident(parent))
      AND c.relname::text ~ ('^' || parent || '_\d{8}$')
    ORDER BY 2 DESC
$$;

-- The day from which keeping times are counted back: today, or the day of the newest row if it is
-- older (today if there is no row). So a clock that is ahead for a while drops nothing while
-- nothing is recorded.
CREATE FUNCTION pruned.newest_day(parent text) RETURNS date
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    today    date := (pg_catalog.now() AT TIME ZONE 'UTC')::date;
    newest   date;
    d        record;
    has_rows boolean;
BEGIN
    FOR d IN SELECT * FROM pruned.days_of(parent) LOOP
        EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM pruned.%I)', d.child) INTO has_rows;
        IF has_rows THEN
            newest := d.day;
            EXIT;
        END IF;
    END LOOP;
    IF parent = 'deletions' THEN
        SELECT greatest(newest, (pg_catalog.max(x.at) AT TIME ZONE 'UTC')::date) INTO newest FROM pruned.deletions_default x;
    END IF;
    RETURN least(today, newest);
END $$;

-- Deletes rows of tables that are kept for a shorter time than their day: one more day of each
-- table in a call.
CREATE FUNCTION pruned.sweep_days(newest date, longest integer) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    k      record;
    of_day date;
BEGIN
    FOR k IN SELECT x.what, x.days, x.swept, pg_catalog.split_part(x.what, ':', 2) AS name
             FROM pruned.keeping x WHERE (x.what = 'deletions' OR x.what LIKE 'deletions:%') AND x.days < longest ORDER BY x.what LOOP
        SELECT pg_catalog.min(d.day) INTO of_day FROM pruned.days_of('deletions') d
        WHERE d.day < newest - k.days AND (k.swept IS NULL OR d.day >= k.swept);
        IF of_day IS NULL THEN CONTINUE; END IF;
        DELETE FROM pruned.deletions d
        WHERE d.at < (of_day + 1)::timestamp AT TIME ZONE 'UTC'
          AND (d.table_name = k.name
               OR (k.what = 'deletions' AND NOT EXISTS (SELECT FROM pruned.keeping o WHERE o.what = 'deletions:' || d.table_name)));
        UPDATE pruned.keeping x SET swept = of_day + 1 WHERE x.what = k.what;
    END LOOP;
END $$;

-- Drops days before BEFORE, the oldest first and at most three in a call, none younger than its
-- keeping time.
CREATE OR REPLACE FUNCTION pruned.drop_days(parent text, before date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    longest integer;
    newest  date;
    last    date;
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
    FOR gone IN SELECT d.child FROM pruned.days_of(parent) d WHERE d.day < last ORDER BY d.day LIMIT 3 LOOP
        EXECUTE pg_catalog.format('DROP TABLE pruned.%I', gone);
        dropped := dropped + 1;
    END LOOP;
    IF parent = 'deletions' THEN
        DELETE FROM pruned.deletions_default x WHERE x.at < last::timestamp AT TIME ZONE 'UTC';
        PERFORM pruned.sweep_days(newest, longest);
    END IF;
    RETURN dropped;
END $$;

-- A daemon can raise the owner's keeping time, not lower it.
CREATE FUNCTION pruned.keep_at_least(names text[], numbers integer[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO pruned.keeping AS k (what, days)
    SELECT u.what, u.days FROM ROWS FROM (pg_catalog.unnest(names), pg_catalog.unnest(numbers)) AS u (what, days)
    WHERE u.what IN ('runs_done', 'deletions')
       OR (u.what LIKE 'deletions:_%' AND u.days > (SELECT x.days FROM pruned.keeping x WHERE x.what = 'deletions'))
    ORDER BY u.what
    ON CONFLICT (what) DO UPDATE SET days = excluded.days WHERE k.days < excluded.days
$$;

-- Removes rows from the audit: those of table WHOSE with this key, and those of TABLES whose
-- COLUMNS name it. A record of them stays: run, step, table, and keys that are numbers.
CREATE FUNCTION pruned.forget(whose text, key jsonb, tables text[], columns text[]) RETURNS TABLE (name text, n bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH hit AS MATERIALIZED (
        SELECT d.tableoid AS part, d.ctid AS place, d.run_id, d.step, d.table_name,
               pg_catalog.jsonb_agg(e.k ORDER BY e.n) FILTER (WHERE NOT m.mine) AS keys,
               CASE WHEN d.rows IS NOT NULL THEN pg_catalog.jsonb_agg(e.r ORDER BY e.n) FILTER (WHERE NOT m.mine) END AS rows,
               pg_catalog.jsonb_agg(CASE WHEN pg_catalog.jsonb_typeof(e.k) = 'number' THEN e.k END ORDER BY e.n) FILTER (WHERE m.mine) AS taken
        FROM pruned.deletions d
        CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys),
                                      pg_catalog.jsonb_array_elements(d.rows)) WITH ORDINALITY AS e (k, r, n)
        CROSS JOIN LATERAL (SELECT (d.table_name = whose
                                    AND (e.k = key OR (pg_catalog.jsonb_typeof(key) = 'object' AND (e.k @> key OR coalesce(e.r @> key, false)))))
                                OR EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest(tables), pg_catalog.unnest(columns)) AS c (t, col)
                                           WHERE c.t = d.table_name AND coalesce(e.r -> c.col, e.k -> c.col) = key) AS mine) AS m
        WHERE d.action <> 'forgotten' AND (d.table_name = whose OR d.table_name = ANY (tables))
        GROUP BY d.tableoid, d.ctid, d.run_id, d.step, d.table_name, d.rows
        HAVING pg_catalog.bool_or(m.mine)
    ),
    emptied AS (
        DELETE FROM pruned.deletions d USING hit h WHERE d.tableoid = h.part AND d.ctid = h.place AND h.keys IS NULL
    ),
    changed AS (
        UPDATE pruned.deletions d SET keys = h.keys, rows = h.rows
        FROM hit h WHERE d.tableoid = h.part AND d.ctid = h.place AND h.keys IS NOT NULL
    ),
    said AS (
        INSERT INTO pruned.deletions (run_id, step, table_name, action, keys)
        SELECT h.run_id, h.step, h.table_name, 'forgotten', h.taken FROM hit h
    )
    SELECT h.table_name, pg_catalog.sum(pg_catalog.jsonb_array_length(h.taken))::bigint FROM hit h GROUP BY h.table_name ORDER BY h.table_name
$$;

REVOKE ALL ON FUNCTION pruned.days_of(text), pruned.newest_day(text), pruned.sweep_days(date, integer),
    pruned.keep_at_least(text[], integer[]), pruned.forget(text, jsonb, text[], text[]) FROM PUBLIC;

-- Roles that may write runs keep working without running `pruned grants` again, and can remove
-- nothing from the audit. Days are accessible only through their parents.
DO $$
DECLARE
    member text;
    part   text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.keep_at_least(text[], integer[]) TO %s', member);
        EXECUTE pg_catalog.format('GRANT SELECT ON pruned.keeping TO %s', member);
        EXECUTE pg_catalog.format('REVOKE UPDATE, DELETE, TRUNCATE ON pruned.deletions FROM %s', member);
        FOR part IN SELECT i.inhrelid::regclass::text FROM pg_catalog.pg_inherits i
                    WHERE i.inhparent IN ('pruned.deletions'::regclass, 'pruned.runs_done'::regclass)
        LOOP
            EXECUTE pg_catalog.format('REVOKE ALL ON %s FROM %s', part, member);
        END LOOP;
    END LOOP;
END $$;
