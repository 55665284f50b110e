-- Schema `pruned`, step 46: held rows below rows that go, and held rows of tables that get another
-- name.
-- compatible_from: 41

-- Each table with held rows, as `holds` names it: its relation, and its primary key as columns with
-- their types. By these it is found again under another name.
CREATE TABLE pruned.held_tables (
    tab  text COLLATE "C" PRIMARY KEY,
    rel  oid NOT NULL,
    sign text NOT NULL
);

-- The primary key of REL, as in held_tables; null: it has none.
CREATE FUNCTION pruned.held_sign(rel oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_catalog.string_agg(pg_catalog.format('%I %s', a.attname, pg_catalog.format_type(a.atttypid, NULL)), ', ' ORDER BY k.n)
    FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    WHERE i.indrelid = $1 AND i.indisprimary AND k.n <= i.indnkeyatts
$$;

-- Holds follow their tables. A table that was renamed, or is in another schema, takes its holds
-- along. If another table has its name now, with the same columns, it is a copy, and rows of both
-- are held. A table that was made anew under its name has the holds of the one before. What is
-- dropped keeps its holds, which `pruned doctor` names. With the rights of the schema's owner.
CREATE FUNCTION pruned.holds_follow() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    m record;
BEGIN
    IF EXISTS (SELECT FROM pruned.held_tables t WHERE NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = t.tab)) THEN
        DELETE FROM pruned.held_tables t WHERE NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = t.tab);
    END IF;
    FOR m IN
        WITH RECURSIVE name (tab) AS (
            (SELECT h.tab FROM pruned.holds h ORDER BY h.tab LIMIT 1)
            UNION ALL
            SELECT (SELECT h.tab FROM pruned.holds h WHERE h.tab > n.tab ORDER BY h.tab LIMIT 1) FROM name n WHERE n.tab IS NOT NULL
        ),
        known AS (
            SELECT n.tab, t.rel, t.sign, CASE WHEN n.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$' THEN pg_catalog.to_regclass(n.tab)::oid END AS there
            FROM name n LEFT JOIN pruned.held_tables t ON t.tab = n.tab WHERE n.tab IS NOT NULL
        )
        SELECT k.tab, k.rel, k.there, k.sign, pruned.held_sign(k.there) AS sign_there,
               CASE WHEN pruned.held_sign(c.oid) = k.sign
                     AND (k.there IS NULL
                          OR (SELECT pg_catalog.array_agg(a.attname ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)
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
            INSERT INTO pruned.held_tables (tab, rel, sign) VALUES (m.elsewhere, m.rel, m.sign)
            ON CONFLICT (tab) DO UPDATE SET rel = excluded.rel, sign = excluded.sign;
            IF m.there IS NULL THEN
                DELETE FROM pruned.holds h WHERE h.tab = m.tab;
                DELETE FROM pruned.held_tables t WHERE t.tab = m.tab;
            END IF;
        END IF;
        IF m.sign_there IS NOT NULL THEN
            INSERT INTO pruned.held_tables (tab, rel, sign) VALUES (m.tab, m.there, m.sign_there)
            ON CONFLICT (tab) DO UPDATE SET rel = excluded.rel, sign = excluded.sign;
        END IF;
    END LOOP;
END
$$;

-- The held rows that lie below rows of the table TOP: by foreign keys that delete or change them
-- with these, or forbid to delete these. KEYS: the rows, as jobs name them. NAMED: tables
-- (partitioned ones as a whole) whose rows go also where their foreign key would only empty them.
-- ONLY_NAMED: no others go with KEYS themselves. FORBIDDING: rows that forbid it go first, with
-- what is below them. OWNER: which of KEYS; REL, KEY: the held row. A row without OWNER: something
-- below cannot be read, so nothing is known. Only ways that lead to a table with held rows are
-- gone; a row is found by its place, so all is read in one snapshot.
CREATE FUNCTION pruned.held_below(top oid, keys text[], named oid[], only_named boolean, forbidding boolean)
RETURNS TABLE (owner text, rel oid, key text, kind text) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    held oid[];
    ways oid[];
    way record;
    parts oid[]; places tid[]; owners text[];
    seen_parts oid[] := '{}'; seen_places tid[] := '{}'; seen_owners text[] := '{}';
    next_parts oid[]; next_places tid[]; next_owners text[];
    some_parts oid[]; some_places tid[]; some_owners text[];
    source text;
    first boolean := true;
    blind boolean := false;
    same text;
    root oid := coalesce(pg_catalog.pg_partition_root(top)::oid, top);
BEGIN
    WITH RECURSIVE name (tab) AS (
        (SELECT h.tab FROM pruned.holds h ORDER BY h.tab LIMIT 1)
        UNION ALL
        SELECT (SELECT h.tab FROM pruned.holds h WHERE h.tab > n.tab ORDER BY h.tab LIMIT 1) FROM name n WHERE n.tab IS NOT NULL
    )
    SELECT pg_catalog.array_agg(r.rel) INTO held
    FROM (SELECT CASE WHEN n.tab ~ '^("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)[.]("([^"]|"")+"|[[:alpha:]_][[:alnum:]_$]*)$' THEN pg_catalog.to_regclass(n.tab)::oid END AS rel FROM name n WHERE n.tab IS NOT NULL) AS r
    WHERE r.rel IS NOT NULL;
    IF held IS NULL OR pg_catalog.cardinality(keys) = 0 THEN
        RETURN;
    END IF;
    WITH RECURSIVE fk AS MATERIALIZED (
        SELECT c.oid, coalesce(pg_catalog.pg_partition_root(c.conrelid)::oid, c.conrelid) AS child, coalesce(pg_catalog.pg_partition_root(c.confrelid)::oid, c.confrelid) AS parent,
               c.confdeltype = 'c' OR forbidding AND c.confdeltype IN ('a', 'r') OR coalesce(pg_catalog.pg_partition_root(c.conrelid)::oid, c.conrelid) = ANY (named) AS goes
        FROM pg_constraint c WHERE c.contype = 'f' AND c.conparentid = 0
    ),
    up (rel) AS (
        SELECT pg_catalog.unnest(held) UNION SELECT f.parent FROM fk f JOIN up u ON f.child = u.rel
    ),
    down (rel, goes) AS (
        SELECT root, true
        UNION
        SELECT f.child, f.goes FROM fk f JOIN down d ON d.goes AND f.parent = d.rel JOIN up u ON u.rel = f.child
        WHERE d.rel <> root OR NOT only_named OR f.child = ANY (named)
    )
    SELECT pg_catalog.array_agg(DISTINCT f.oid) INTO ways
    FROM fk f JOIN up u ON u.rel = f.child
    WHERE EXISTS (SELECT FROM down d WHERE d.goes AND d.rel = f.parent);
    IF ways IS NULL THEN
        RETURN;
    END IF;
    SELECT pg_catalog.string_agg(pg_catalog.format(
        CASE WHEN i.indnkeyatts > 1 AND a.atttypid IN ('json'::regtype, 'jsonb'::regtype) THEN 't.%1$I OPERATOR(%2$I.%3$s) (u.key::jsonb -> %5$L)::%4$s'
             WHEN i.indnkeyatts > 1 THEN 't.%1$I OPERATOR(%2$I.%3$s) (u.key::jsonb ->> %5$L)::%4$s'
             WHEN a.atttypid IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype)
             THEN 't.%1$I OPERATOR(%2$I.%3$s) CASE WHEN u.key ~ ''^-?[0-9]{1,18}$'' THEN u.key::int8 END'
             WHEN a.atttypid = 'uuid'::regtype
             THEN 't.%1$I OPERATOR(%2$I.%3$s) CASE WHEN u.key ~ ''^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'' THEN u.key::uuid END'
             ELSE 't.%1$I OPERATOR(%2$I.%3$s) u.key::%4$s' END,
        a.attname, s.nspname, o.oprname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attname), ' AND ') INTO same
    FROM pg_index i
    CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(i.indkey::smallint[]), pg_catalog.unnest(i.indclass::oid[])) WITH ORDINALITY AS k (attnum, class, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    JOIN pg_opclass c ON c.oid = k.class
    JOIN pg_amop m ON m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype
      AND m.amoprighttype = CASE WHEN i.indnkeyatts = 1 AND a.atttypid IN ('int4'::regtype, 'int2'::regtype) THEN 'int8'::regtype ELSE c.opcintype END AND m.amopstrategy = 3
    JOIN pg_operator o ON o.oid = m.amopopr JOIN pg_namespace s ON s.oid = o.oprnamespace
    WHERE i.indrelid = top AND i.indisprimary AND k.n <= i.indnkeyatts;
    IF same IS NULL OR NOT pg_catalog.has_table_privilege(top, 'SELECT') THEN
        RETURN QUERY SELECT NULL::text, NULL::oid, NULL::text, NULL::text;
        RETURN;
    END IF;
    EXECUTE pg_catalog.format('SELECT pg_catalog.array_agg(t.tableoid), pg_catalog.array_agg(t.ctid), pg_catalog.array_agg(u.key) FROM pg_catalog.unnest($1) AS u (key) JOIN %s t ON %s', top::regclass, same)
        INTO parts, places, owners USING keys;
    WHILE pg_catalog.cardinality(parts) > 0 LOOP
        next_parts := '{}'; next_places := '{}'; next_owners := '{}';
        FOR way IN
            SELECT c.conrelid, c.confrelid, coalesce(pg_catalog.pg_partition_root(c.conrelid)::oid, c.conrelid) AS child,
                   c.confdeltype = 'c' OR forbidding AND c.confdeltype IN ('a', 'r') OR coalesce(pg_catalog.pg_partition_root(c.conrelid)::oid, c.conrelid) = ANY (named) AS goes,
                   coalesce(pg_catalog.pg_partition_root(c.conrelid)::oid, c.conrelid) = ANY (held) AS is_held,
                   pg_catalog.has_table_privilege(c.conrelid, 'SELECT') AND NOT pg_catalog.row_security_active(c.conrelid) AS seen,
                   (SELECT pg_catalog.string_agg(pg_catalog.format('c.%I OPERATOR(%I.%s) p.%I', ca.attname, s.nspname, o.oprname, pa.attname), ' AND ')
                    FROM unnest(c.conkey, c.confkey, c.conpfeqop) AS k (child, parent, op)
                    JOIN pg_attribute ca ON ca.attrelid = c.conrelid AND ca.attnum = k.child
                    JOIN pg_attribute pa ON pa.attrelid = c.confrelid AND pa.attnum = k.parent
                    JOIN pg_operator o ON o.oid = k.op JOIN pg_namespace s ON s.oid = o.oprnamespace) AS refers
            FROM pg_constraint c
            WHERE c.oid = ANY (ways)
              AND coalesce(pg_catalog.pg_partition_root(c.confrelid)::oid, c.confrelid) IN (SELECT coalesce(pg_catalog.pg_partition_root(p.rel)::oid, p.rel) FROM (SELECT DISTINCT q.rel FROM pg_catalog.unnest(parts) AS q (rel)) AS p)
              AND (NOT first OR NOT only_named OR coalesce(pg_catalog.pg_partition_root(c.conrelid)::oid, c.conrelid) = ANY (named))
        LOOP
            IF NOT way.seen THEN
                blind := true;
                CONTINUE;
            END IF;
            source := pg_catalog.format('unnest($1, $2, $3) AS f (part, place, owner) JOIN %s p ON p.ctid = f.place AND p.tableoid = f.part JOIN %s c ON %s',
                             way.confrelid::regclass, way.conrelid::regclass, way.refers);
            IF way.is_held THEN
                RETURN QUERY EXECUTE pg_catalog.format('SELECT DISTINCT f.owner, %L::oid, h.key, h.kind FROM %s JOIN pruned.holds h ON h.tab = %L AND %s AND (h.until IS NULL OR h.until > now())',
                                            way.child, source,
                                            (SELECT pg_catalog.format('%I.%I', n.nspname, r.relname) FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace WHERE r.oid = way.child),
                                            pruned.held_match(way.child))
                    USING parts, places, owners;
            END IF;
            IF way.goes AND EXISTS (SELECT FROM pg_constraint b WHERE b.oid = ANY (ways) AND coalesce(pg_catalog.pg_partition_root(b.confrelid)::oid, b.confrelid) = way.child) THEN
                EXECUTE pg_catalog.format('SELECT pg_catalog.array_agg(n.part), pg_catalog.array_agg(n.place), pg_catalog.array_agg(n.owner) FROM (SELECT DISTINCT c.tableoid AS part, c.ctid AS place, f.owner FROM %s) AS n', source)
                    INTO some_parts, some_places, some_owners USING parts, places, owners;
                next_parts := next_parts || some_parts; next_places := next_places || some_places; next_owners := next_owners || some_owners;
            END IF;
        END LOOP;
        seen_parts := seen_parts || parts; seen_places := seen_places || places; seen_owners := seen_owners || owners;
        SELECT pg_catalog.array_agg(n.part), pg_catalog.array_agg(n.place), pg_catalog.array_agg(n.owner) INTO parts, places, owners
        FROM (SELECT * FROM unnest(next_parts, next_places, next_owners) AS n (part, place, owner)
              EXCEPT SELECT * FROM unnest(seen_parts, seen_places, seen_owners) AS s (part, place, owner)) AS n;
        first := false;
    END LOOP;
    IF blind THEN
        RETURN QUERY SELECT NULL::text, NULL::oid, NULL::text, NULL::text;
    END IF;
END
$$;

-- How the hold `h` is found for the row `c` of REL, as SQL: its key is written as jobs write that
-- of the row. A number is found from either side.
CREATE FUNCTION pruned.held_match(rel oid) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN count(*) = 0 THEN 'false'
                WHEN count(*) > 1 THEN pg_catalog.format('h.key = (pg_catalog.jsonb_build_object(%s)::text COLLATE "C")', pg_catalog.string_agg(pg_catalog.format(CASE WHEN y.typtype = 'c' OR y.typelem <> 0 AND y.typlen = -1 OR EXISTS (SELECT FROM pg_cast x WHERE x.castsource = y.oid AND x.casttarget = 'json'::regtype AND y.oid <> 'jsonb'::regtype) THEN '%L, pg_catalog.format(''%%s'', c.%I)' ELSE '%L, c.%I' END, a.attname, a.attname), ', ' ORDER BY k.n))
                WHEN pg_catalog.min(a.atttypid) IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype)
                THEN pg_catalog.format('h.key = (c.%1$I::text COLLATE "C") AND c.%1$I = CASE WHEN h.key ~ ''^-?[0-9]{1,18}$'' THEN h.key::int8 END', pg_catalog.min(a.attname))
                ELSE pg_catalog.format('h.key = (c.%I::text COLLATE "C")', pg_catalog.min(a.attname)) END
    FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
    JOIN pg_type y ON y.oid = a.atttypid
    WHERE i.indrelid = $1 AND i.indisprimary AND k.n <= i.indnkeyatts
$$;

REVOKE ALL ON FUNCTION pruned.held_sign(oid), pruned.holds_follow(), pruned.held_below(oid, text[], oid[], boolean, boolean), pruned.held_match(oid) FROM PUBLIC;
SELECT pruned.give_daemons(ARRAY['held_tables: SELECT']);
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.holds_follow(), pruned.held_below(oid, text[], oid[], boolean, boolean), pruned.held_match(oid) TO %s', member);
    END LOOP;
END $$;
SELECT pruned.holds_follow();
