-- Schema `pruned`, step 54: holds follow a key whose column has a collation of its own.
-- compatible_from: 41

-- Without COLLATE, PostgreSQL cannot choose between that collation and the one of pruned.holds, and
-- no step of any job went on.
CREATE OR REPLACE FUNCTION pruned.holds_settle() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    m record;
    known pruned.held_tables;
    same text[];
    lost text;
    try text;
BEGIN
    FOR m IN
        SELECT t.rel FROM pruned.held_tables t
        JOIN pg_class c ON c.oid = t.rel AND c.relkind IN ('r', 'p')
        WHERE t.within IS NULL AND pg_catalog.has_table_privilege(t.rel, 'SELECT')
        ORDER BY t.tab
    LOOP
        EXECUTE pg_catalog.format('LOCK TABLE ONLY %s IN ACCESS SHARE MODE', m.rel::regclass);
    END LOOP;
    FOR m IN
        SELECT t.tab, t.rel FROM pruned.held_tables t
        WHERE t.within IS NULL AND t.cols IS NOT NULL AND t.rel = pg_catalog.to_regclass(t.tab)::oid AND pruned.held_sign(t.rel) <> t.sign
          AND pg_catalog.has_table_privilege(t.rel, 'SELECT') AND NOT pg_catalog.row_security_active(t.rel)
        ORDER BY t.tab
    LOOP
        PERFORM pg_catalog.pg_advisory_xact_lock('pruned.held_tables'::regclass::oid::bigint);
        SELECT * INTO known FROM pruned.held_tables t WHERE t.tab = m.tab;
        CONTINUE WHEN known.tab IS NULL OR known.sign = pruned.held_sign(m.rel);
        SELECT CASE WHEN NOT pg_catalog.bool_or(e.away) THEN ARRAY[pg_catalog.string_agg(pg_catalog.format('%s = pg_catalog.format(''%%s'', (%s)::%s)', e.its, e.was, e.type), ' AND '),
                                                            pg_catalog.string_agg(pg_catalog.format('%s = %s', e.its, e.was), ' AND '), 'false'] ELSE ARRAY['false'] END INTO same
        FROM (SELECT pg_catalog.format('(pg_catalog.format(''%%s'', c.%s) COLLATE "C")', pg_catalog.quote_ident(a.attname)) AS its, a.attname IS NULL AS away, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
                     CASE WHEN pg_catalog.jsonb_array_length(known.cols) = 1 THEN 'h.key' ELSE pg_catalog.format('(h.key::jsonb ->> %L)', e.col ->> 1) END AS was
              FROM pg_catalog.jsonb_array_elements(known.cols) AS e (col)
              LEFT JOIN pg_attribute a ON a.attrelid = m.rel AND a.attnum > 0 AND NOT a.attisdropped
                                      AND CASE WHEN e.col ->> 0 IS NULL THEN a.attname = e.col ->> 1 ELSE a.attnum = (e.col ->> 0)::int END) AS e;
        SELECT pg_catalog.format('%I.%I', s.nspname, pg_catalog.concat(c.relname, ' by ', known.sign)) INTO lost FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = m.rel;
        FOREACH try IN ARRAY same LOOP
            BEGIN
                EXECUTE pg_catalog.format('WITH found AS MATERIALIZED (SELECT h.*, (%s) COLLATE "C" AS own FROM pruned.holds h JOIN %s c ON %s WHERE h.tab = $1),'
                                          ' gone AS (DELETE FROM pruned.holds h WHERE h.tab = $1 AND NOT EXISTS (SELECT FROM found f WHERE f.own = h.key AND f.hold_id = h.hold_id) RETURNING h.*)'
                                          ' INSERT INTO pruned.holds (tab, key, hold_id, kind, job, reason, who, at, until)'
                                          ' SELECT coalesce(f.tab, $2), coalesce(f.own, g.key), g.hold_id, g.kind, g.job, g.reason, g.who, g.at, g.until'
                                          ' FROM gone g LEFT JOIN found f ON f.key = g.key AND f.hold_id = g.hold_id ON CONFLICT DO NOTHING',
                                          coalesce(pruned.held_key(m.rel), 'h.key'), m.rel::regclass, try) USING m.tab, lost;
                EXIT;
            EXCEPTION WHEN data_exception OR cannot_coerce THEN
                NULL;
            END;
        END LOOP;
        PERFORM pruned.held_settled(m.tab);
    END LOOP;
    FOR m IN
        SELECT t.tab, t.within, t.rel, r.root, pg_catalog.format('%I.%I', s.nspname, c.relname) AS name
        FROM pruned.held_tables t JOIN pg_class c ON c.oid = t.rel JOIN pg_namespace s ON s.oid = c.relnamespace
        CROSS JOIN LATERAL (SELECT CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::oid ELSE c.oid END AS root) AS r
        WHERE t.within IS NOT NULL AND r.root IS DISTINCT FROM pg_catalog.to_regclass(t.within)::oid AND pruned.held_key(t.rel) IS NOT NULL
          AND pg_catalog.has_table_privilege(t.rel, 'SELECT') AND NOT pg_catalog.row_security_active(t.rel)
        ORDER BY t.tab
    LOOP
        PERFORM pg_catalog.pg_advisory_xact_lock('pruned.held_tables'::regclass::oid::bigint);
        SELECT * INTO known FROM pruned.held_tables t WHERE t.tab = m.tab;
        CONTINUE WHEN known.within IS DISTINCT FROM m.within;
        EXECUTE pg_catalog.format('INSERT INTO pruned.holds (tab, key, hold_id, kind, job, reason, who, at, until)'
                                  ' SELECT $1, h.key, h.hold_id, h.kind, h.job, h.reason, h.who, h.at, h.until FROM pruned.holds h JOIN %s c ON h.key = (%s) COLLATE "C" WHERE h.tab = $2 ORDER BY h.key'
                                  ' ON CONFLICT DO NOTHING', m.rel::regclass, pruned.held_key(m.rel))
            USING pruned.held_table(m.name), m.within;
        PERFORM pruned.held_settled(m.tab);
    END LOOP;
END
$$;
