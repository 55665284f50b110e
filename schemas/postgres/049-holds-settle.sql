-- Schema `pruned`, step 49: holds follow a primary key that is another, and a partition that is
-- attached or detached.
-- compatible_from: 41

-- cols: by which columns `holds` has its keys, [[number, name], ...]; number: null once another
-- table has the name. within: of a partition, the table that `holds` names.
ALTER TABLE pruned.held_tables ADD COLUMN IF NOT EXISTS cols jsonb, ADD COLUMN IF NOT EXISTS within text COLLATE "C";

-- The columns of the primary key of REL, as in held_tables.
CREATE OR REPLACE FUNCTION pruned.held_cols(rel oid) RETURNS jsonb LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(a.attnum, a.attname) ORDER BY k.n)
    FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = $1 AND i.indisprimary AND k.n <= i.indnkeyatts
$$;

-- Tables that have holds by now: the columns are told from the key that was noted (sign). One that
-- has another name now is the column at its place in the key, if the table has lost no column and
-- the key has as many.
UPDATE pruned.held_tables t SET cols = (
    SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(coalesce(a.attnum, p.attnum), w.name) ORDER BY w.n)
    FROM (SELECT s.n, count(*) OVER () AS of, CASE WHEN s.m[1] ~ '^"' THEN pg_catalog.replace(pg_catalog.substr(s.m[1], 2, pg_catalog.length(s.m[1]) - 2), '""', '"') ELSE s.m[1] END AS name
          FROM pg_catalog.regexp_matches(t.sign, '("(?:[^"]|"")+"|[^" ,]+) (?:"(?:[^"]|"")+"|[^",])+(?:, |$)', 'g') WITH ORDINALITY AS s (m, n)) AS w
    LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = t.rel AND a.attname = w.name AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_catalog.pg_index i ON i.indrelid = t.rel AND i.indisprimary AND i.indnkeyatts = w.of
                                   AND NOT EXISTS (SELECT FROM pg_catalog.pg_attribute d WHERE d.attrelid = t.rel AND d.attisdropped)
    LEFT JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS p (attnum, n) ON p.n = w.n)
WHERE t.cols IS NULL AND t.within IS NULL;

-- Holds follow their tables. A table that was renamed, or is in another schema, takes its holds
-- along. If another table has its name now, with the same columns, it is a copy, and rows of both
-- are held. A table that was made anew under its name has the holds of the one before. What is
-- dropped keeps its holds, which `pruned doctor` names. A table that becomes a partition brings its
-- holds along; a partition that is detached has those of the table that it was of. With the rights
-- of the schema's owner.
CREATE OR REPLACE FUNCTION pruned.holds_follow() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    m record;
BEGIN
    IF EXISTS (SELECT FROM pruned.held_tables t WHERE NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = coalesce(t.within, t.tab))) THEN
        DELETE FROM pruned.held_tables t WHERE NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = coalesce(t.within, t.tab));
    END IF;
    FOR m IN
        WITH RECURSIVE name (tab) AS (
            (SELECT h.tab FROM pruned.holds h ORDER BY h.tab LIMIT 1)
            UNION ALL
            SELECT (SELECT h.tab FROM pruned.holds h WHERE h.tab > n.tab ORDER BY h.tab LIMIT 1) FROM name n WHERE n.tab IS NOT NULL
        ),
        known AS (
            SELECT n.tab, t.rel, t.sign, CASE WHEN n.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$' THEN pg_catalog.to_regclass(n.tab)::oid END AS there
            FROM name n LEFT JOIN pruned.held_tables t ON t.tab = n.tab AND t.within IS NULL WHERE n.tab IS NOT NULL
        )
        SELECT k.tab, k.rel, k.there, k.sign, pruned.held_sign(k.there) AS sign_there,
               CASE WHEN k.there IS NULL AND c.relkind IN ('r', 'p') OR pruned.held_sign(c.oid) = k.sign
                     AND ((SELECT pg_catalog.array_agg(a.attname ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
                           = (SELECT pg_catalog.array_agg(a.attname ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = k.there AND a.attnum > 0 AND NOT a.attisdropped))
                    THEN pruned.held_table(pg_catalog.format('%I.%I', s.nspname, c.relname)) END AS elsewhere
        FROM known k LEFT JOIN pg_class c ON c.oid = k.rel AND k.there IS DISTINCT FROM k.rel LEFT JOIN pg_namespace s ON s.oid = c.relnamespace
        WHERE k.there IS DISTINCT FROM k.rel
        ORDER BY k.tab
    LOOP
        IF m.elsewhere <> m.tab THEN
            INSERT INTO pruned.holds (tab, key, hold_id, kind, job, reason, who, at, until)
            SELECT m.elsewhere, h.key, h.hold_id, h.kind, h.job, h.reason, h.who, h.at, h.until FROM pruned.holds h WHERE h.tab = m.tab ORDER BY h.key
            ON CONFLICT DO NOTHING;
            INSERT INTO pruned.held_tables (tab, rel, sign, cols) SELECT m.elsewhere, m.rel, m.sign, t.cols FROM pruned.held_tables t WHERE t.tab = m.tab
            ON CONFLICT (tab) DO UPDATE SET rel = excluded.rel, sign = excluded.sign, cols = excluded.cols, within = NULL;
            IF m.there IS NULL THEN
                DELETE FROM pruned.holds h WHERE h.tab = m.tab;
                DELETE FROM pruned.held_tables t WHERE t.tab = m.tab;
                UPDATE pruned.held_tables t SET within = m.elsewhere WHERE t.within = m.tab;
            END IF;
        END IF;
        IF m.sign_there IS NOT NULL THEN
            INSERT INTO pruned.held_tables (tab, rel, sign, cols) VALUES (m.tab, m.there, m.sign_there, pruned.held_cols(m.there))
            ON CONFLICT (tab) DO UPDATE SET rel = excluded.rel, within = NULL,
                cols = CASE WHEN held_tables.sign = excluded.sign THEN excluded.cols ELSE (SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_array(NULL, e.col ->> 1) ORDER BY e.n) FROM pg_catalog.jsonb_array_elements(held_tables.cols) WITH ORDINALITY AS e (col, n)) END;
        END IF;
    END LOOP;
    FOR m IN
        SELECT t.tab, pruned.held_table(t.tab) AS root, pg_catalog.pg_partition_root(c.oid)::oid AS rel
        FROM pruned.held_tables t JOIN pg_class c ON c.oid = t.rel WHERE t.within IS NULL AND c.relispartition ORDER BY t.tab
    LOOP
        INSERT INTO pruned.holds (tab, key, hold_id, kind, job, reason, who, at, until)
        SELECT m.root, h.key, h.hold_id, h.kind, h.job, h.reason, h.who, h.at, h.until FROM pruned.holds h WHERE h.tab = m.tab ORDER BY h.key
        ON CONFLICT DO NOTHING;
        DELETE FROM pruned.holds h WHERE h.tab = m.tab;
        DELETE FROM pruned.held_tables t WHERE t.tab = m.tab;
        INSERT INTO pruned.held_tables (tab, rel, sign, cols) VALUES (m.root, m.rel, pruned.held_sign(m.rel), pruned.held_cols(m.rel)) ON CONFLICT DO NOTHING;
    END LOOP;
    INSERT INTO pruned.held_tables (tab, rel, sign, within)
    SELECT pg_catalog.format('%I.%I', s.nspname, c.relname), c.oid, pruned.held_sign(c.oid), t.tab
    FROM pruned.held_tables t JOIN pg_class r ON r.oid = t.rel AND r.relkind = 'p'
    CROSS JOIN LATERAL pg_catalog.pg_partition_tree(t.rel) AS p JOIN pg_class c ON c.oid = p.relid JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE t.within IS NULL AND p.relid <> t.rel AND NOT EXISTS (SELECT FROM pruned.held_tables k WHERE k.rel = p.relid) AND pruned.held_sign(c.oid) IS NOT NULL
    ORDER BY 1
    ON CONFLICT (tab) DO UPDATE SET rel = excluded.rel, sign = excluded.sign, within = excluded.within WHERE held_tables.within IS NOT NULL;
END
$$;

-- The key of the row `c` of REL as `holds` has it, as SQL; null: it has no primary key.
CREATE OR REPLACE FUNCTION pruned.held_key(rel oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN count(*) > 1 THEN pg_catalog.format('pg_catalog.jsonb_build_object(%s)::text', pg_catalog.string_agg(pg_catalog.format(CASE WHEN y.typtype = 'c' OR y.typelem <> 0 AND y.typlen = -1 OR EXISTS (SELECT FROM pg_cast x WHERE x.castsource = y.oid AND x.casttarget = 'json'::regtype AND y.oid <> 'jsonb'::regtype) THEN '%L, pg_catalog.format(''%%s'', c.%I)' ELSE '%L, c.%I' END, a.attname, a.attname), ', ' ORDER BY k.n))
                WHEN count(*) = 1 THEN pg_catalog.format('pg_catalog.format(''%%s'', c.%I)', pg_catalog.min(a.attname)) END
    FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    JOIN pg_type y ON y.oid = a.atttypid
    WHERE i.indrelid = $1 AND i.indisprimary AND k.n <= i.indnkeyatts
$$;

-- What holds_settle has done about TAB is noted. With the rights of the schema's owner.
CREATE OR REPLACE FUNCTION pruned.held_settled(tab text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE pruned.held_tables t SET sign = pruned.held_sign(t.rel), cols = pruned.held_cols(t.rel) WHERE t.tab = $1 AND t.within IS NULL;
    DELETE FROM pruned.held_tables t WHERE t.tab = $1 AND t.within IS NOT NULL AND pg_catalog.pg_partition_root(t.rel)::oid IS DISTINCT FROM pg_catalog.to_regclass(t.within)::oid;
END
$$;

-- Holds follow their rows. Where a column of the primary key is renamed or retyped, or others are
-- the key, each row is looked for by the columns that were the key, and held by its present key.
-- Keys of no row are held under a name that no table has, so `pruned doctor` names them. Of a
-- partition that is detached, or is one of another table now, the rows that are in it are held
-- there. With the rights of who calls it: a table that they cannot read is left to those who can.
-- Reads such a table once. Until the transaction ends nobody gives the tables another name or key.
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
        FROM (SELECT pg_catalog.format('pg_catalog.format(''%%s'', c.%s)', pg_catalog.quote_ident(a.attname)) AS its, a.attname IS NULL AS away, pg_catalog.format_type(a.atttypid, a.atttypmod) AS type,
                     CASE WHEN pg_catalog.jsonb_array_length(known.cols) = 1 THEN 'h.key' ELSE pg_catalog.format('(h.key::jsonb ->> %L)', e.col ->> 1) END AS was
              FROM pg_catalog.jsonb_array_elements(known.cols) AS e (col)
              LEFT JOIN pg_attribute a ON a.attrelid = m.rel AND a.attnum > 0 AND NOT a.attisdropped
                                      AND CASE WHEN e.col ->> 0 IS NULL THEN a.attname = e.col ->> 1 ELSE a.attnum = (e.col ->> 0)::int END) AS e;
        SELECT pg_catalog.format('%I.%I', s.nspname, pg_catalog.concat(c.relname, ' by ', known.sign)) INTO lost FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace WHERE c.oid = m.rel;
        FOREACH try IN ARRAY same LOOP
            BEGIN
                EXECUTE pg_catalog.format('WITH found AS MATERIALIZED (SELECT h.*, %s AS own FROM pruned.holds h JOIN %s c ON %s WHERE h.tab = $1),'
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

-- How the hold `h` is found for the row `c` of REL, as SQL: its key is written as jobs write that
-- of the row. A number is found from either side.
CREATE OR REPLACE FUNCTION pruned.held_match(rel oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN count(*) = 0 THEN 'false'
                WHEN count(*) = 1 AND pg_catalog.min(a.atttypid) IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype)
                THEN pg_catalog.format('h.key = (c.%1$I::text COLLATE "C") AND c.%1$I = CASE WHEN h.key ~ ''^-?[0-9]{1,18}$'' THEN h.key::int8 END', pg_catalog.min(a.attname))
                ELSE pg_catalog.format('h.key = ((%s) COLLATE "C")', pruned.held_key($1)) END
    FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = $1 AND i.indisprimary AND k.n <= i.indnkeyatts
$$;

REVOKE ALL ON FUNCTION pruned.held_cols(oid), pruned.held_key(oid), pruned.held_settled(text), pruned.holds_settle() FROM PUBLIC;
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.holds_settle(), pruned.held_settled(text), pruned.held_sign(oid), pruned.held_key(oid) TO %s', member);
    END LOOP;
END $$;
SELECT pruned.holds_follow();

-- Tables whose key is another by now, while holds did not follow it: what is held by either key
-- stays held.
DO $$
DECLARE
    m record;
    held pruned.holds[];
    kept pruned.holds[] := '{}';
    lost text[] := '{}';
BEGIN
    FOR m IN
        SELECT t.tab, t.rel, pg_catalog.format('%I.%I', s.nspname, pg_catalog.concat(c.relname, ' by ', t.sign)) AS lost
        FROM pruned.held_tables t JOIN pg_catalog.pg_class c ON c.oid = t.rel JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace
        WHERE t.within IS NULL AND pruned.held_sign(t.rel) <> t.sign AND pg_catalog.has_table_privilege(t.rel, 'SELECT')
    LOOP
        EXECUTE pg_catalog.format('SELECT pg_catalog.array_agg(h) FROM pruned.holds h JOIN %s c ON h.key = (%s) COLLATE "C" WHERE h.tab = $1', m.rel::regclass, pruned.held_key(m.rel))
            INTO held USING m.tab;
        kept := kept || held;
        lost := lost || m.lost;
    END LOOP;
    PERFORM pruned.holds_settle();
    INSERT INTO pruned.holds SELECT k.* FROM pg_catalog.unnest(kept) AS k ON CONFLICT DO NOTHING;
    DELETE FROM pruned.holds h USING pg_catalog.unnest(kept) AS k WHERE h.tab = ANY (lost) AND h.hold_id = k.hold_id AND h.key = k.key;
END $$;
