-- Schema `pruned`, step 39: what the audit has of a row is the row.
-- compatible_from: 15

-- What is called by these functions is PostgreSQL's own, or belongs to the type of a column. They
-- run with the caller's search_path: each operator is PostgreSQL's own for just these types, or
-- named in full.

-- The columns of TAB of which JSON can be another value than the text. `=NAME`: the text is always
-- recorded, as the type has a cast to JSON of its own, or is a row or a list with JSON in it, or a
-- row with a list. `~NAME`: it is recorded where JSON has no such value, which are bounds of a list
-- and -0.
CREATE FUNCTION pruned.texts_of(tab oid) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN ARRAY(
        SELECT CASE WHEN k.loses THEN '=' ELSE '~' END OPERATOR(pg_catalog.||) a.attname::text
        FROM pg_catalog.pg_attribute a CROSS JOIN LATERAL (
            WITH RECURSIVE part (oid, within) AS (
                SELECT a.atttypid, false
                UNION
                SELECT x.oid, p.within OR t.typtype = 'c' OR x.oid IN ('pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.jsonb'::pg_catalog.regtype) AND t.typtype <> 'd'
                FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid
                CROSS JOIN LATERAL (
                    SELECT t.typbasetype WHERE t.typtype = 'd'
                    UNION ALL SELECT t.typelem WHERE t.typelem <> 0 AND t.typlen = -1
                    UNION ALL SELECT f.atttypid FROM pg_catalog.pg_attribute f WHERE t.typtype = 'c' AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped) AS x (oid))
            SELECT pg_catalog.bool_or(p.within AND (t.oid IN ('pg_catalog.json'::pg_catalog.regtype, 'pg_catalog.jsonb'::pg_catalog.regtype) OR t.typcategory = 'A')
                       OR EXISTS (SELECT FROM pg_catalog.pg_cast c WHERE c.castsource = t.oid AND c.casttarget = 'pg_catalog.json'::pg_catalog.regtype AND c.castfunc <> 0)) AS loses,
                   pg_catalog.bool_or(t.typcategory = 'A' AND t.typlen = -1 AND t.oid NOT IN ('pg_catalog.int2vector'::pg_catalog.regtype, 'pg_catalog.oidvector'::pg_catalog.regtype)
                       OR t.oid IN ('pg_catalog.float4'::pg_catalog.regtype, 'pg_catalog.float8'::pg_catalog.regtype)) AS can
            FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid) AS k
        WHERE a.attrelid = tab AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND (k.loses OR k.can)
        ORDER BY a.attnum);
END
$$;

-- WHOLE, a row of a table, for the audit. TEXTS: what texts_of says of the table.
CREATE FUNCTION pruned.recorded(whole anyelement, texts text[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
    made jsonb;
BEGIN
    IF texts = '{}' OR pg_catalog.left(texts[1], 1) <> '=' AND pg_catalog.array_to_string(texts, ',') !~ ',='
                       AND whole::text !~ '\[-?[0-9]+:-?[0-9]+\]|[{(,"]-0[,)}"]' THEN
        RETURN pg_catalog.to_jsonb(whole);
    END IF;
    EXECUTE (SELECT 'SELECT pg_catalog.to_jsonb($1) ' OPERATOR(pg_catalog.||) pg_catalog.string_agg(pg_catalog.format(
                 'OPERATOR(pg_catalog.||) (SELECT CASE WHEN t.value IS NOT NULL AND %2$s THEN pg_catalog.jsonb_build_object(%1$L, t.value) ELSE ''{}'' END'
                 ' FROM (SELECT CASE WHEN ($1).%3$s IS DISTINCT FROM NULL THEN pg_catalog.format(''%%s'', ($1).%3$s) END) AS t (value))',
                 pg_catalog.substr(n.name, 2), CASE WHEN pg_catalog.left(n.name, 1) = '=' THEN 'true' ELSE 't.value ~ ''^\[|(^|[{,])-0($|[},])''' END,
                 pg_catalog.quote_ident(pg_catalog.substr(n.name, 2))), ' ')
             FROM pg_catalog.unnest(texts) AS n (name))
        INTO made USING whole;
    RETURN made;
END
$$;

-- The table NAME, for a statement that records rows of it. PROVEN: as its records were read back;
-- NULL: that is not asked. A trigger of the statement can have set a path and a role of its own:
-- the name is read as the transaction began (src/pg/sql/settings.sql).
CREATE FUNCTION pruned.recorded_table(name text, proven text) RETURNS oid LANGUAGE plpgsql STABLE AS $$
DECLARE
    were text[] := pg_catalog.string_to_array(pg_catalog.current_setting('pruned.settings', true), pg_catalog.chr(31));
    own_role text := pg_catalog.current_setting('role');
    own_path text := pg_catalog.current_setting('search_path');
    strange boolean := were[2] OPERATOR(pg_catalog.<>) own_role OR were[4] OPERATOR(pg_catalog.<>) own_path;
    tab oid;
BEGIN
    IF strange THEN
        PERFORM pg_catalog.set_config('role', were[2], true), pg_catalog.set_config('search_path', were[4], true);
    END IF;
    tab := coalesce(pg_catalog.to_regclass(name), pg_catalog.to_regclass(pg_catalog.quote_ident(name)));
    IF strange THEN
        PERFORM pg_catalog.set_config('role', own_role, true), pg_catalog.set_config('search_path', own_path, true);
    END IF;
    IF proven IS NOT NULL AND NOT EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = tab AND c.xmin::text = proven) THEN
        RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = pg_catalog.format('%s was altered: its records have to be read back again', name);
    END IF;
    RETURN tab;
END
$$;

-- As 031-secrets.sql has it, but types are only looked at if a name looks like that of a secret:
-- most tables have none, and each transaction that removes rows asks.
CREATE OR REPLACE FUNCTION pruned.secret_columns(tab oid, secret text, record jsonb) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    names text[] := '{}';
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = tab AND a.attnum > 0 AND NOT a.attisdropped AND a.attname::text ~* secret) THEN
    names := ARRAY(
        SELECT a.attname::text FROM pg_catalog.pg_attribute a
        JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
        JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN y.typtype = 'd' THEN y.typbasetype ELSE y.oid END
        LEFT JOIN pg_catalog.pg_range g ON b.oid IN (g.rngtypid, g.rngmultitypid)
        LEFT JOIN pg_catalog.pg_type e ON e.oid = CASE b.typcategory WHEN 'A' THEN b.typelem WHEN 'R' THEN g.rngsubtype ELSE b.oid END
        WHERE a.attrelid = tab AND a.attnum > 0 AND NOT a.attisdropped AND a.attname::text ~* secret
          AND e.typcategory IN ('B', 'D', 'E', 'N', 'T') IS NOT TRUE
          AND NOT EXISTS (SELECT FROM pg_catalog.jsonb_array_elements(record) AS r (pair)
                          WHERE r.pair ->> 1 = a.attname::text AND pg_catalog.to_regclass(r.pair ->> 0)::oid = tab)
        ORDER BY a.attnum);
    END IF;
    RETURN coalesce((
        SELECT CASE WHEN i.indnkeyatts > 1 THEN 'several' WHEN p.attname::text = ANY (names) THEN 'hashed' ELSE 'plain' END
        FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute p ON p.attrelid = i.indrelid AND p.attnum = i.indkey[0]
        WHERE i.indrelid = tab AND i.indisprimary), 'none') OPERATOR(pg_catalog.||) names;
END
$$;

-- RECORDS, what the caller's statement has written into the audit of rows of the table NAME, which
-- is TAB, are read back and compared with the rows, which a statement sees as they were before it.
-- Returns JSON: `table` and `definition` as given, `texts` as texts_of, and `lost`: the first
-- column with a value that would not come back, and its `type`. Of records without rows (HOW is not
-- `full`) there is no more to say; NULL: no rows are recorded. A row is compared with the one of
-- its key; without a key it is only read. `json` is compared as jsonb, and the null of JSON counts
-- as NULL: in the audit they are the same. What the record has of another version of the row than
-- the statement began with is not compared. A trigger can have set a role that may read less: rows
-- are read with that of the transaction's begin.
CREATE FUNCTION pruned.read_back(name text, tab oid, how text, definition text, records jsonb[]) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    said jsonb := pg_catalog.jsonb_build_object('table', name, 'definition', definition);
    own_role text := pg_catalog.current_setting('role');
    first_role text := coalesce(nullif(pg_catalog.split_part(pg_catalog.current_setting('pruned.settings', true), pg_catalog.chr(31), 2), ''), own_role);
    columns text[] := CASE pg_catalog.jsonb_typeof(records[1] -> 0) WHEN 'object' THEN ARRAY(
        SELECT a.attname::text FROM pg_catalog.pg_attribute a JOIN pg_catalog.jsonb_object_keys(records[1] -> 0) AS k (name) ON k.name = a.attname::text
        WHERE a.attrelid = tab AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') END;
    texts text[];
    rel text := (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = tab);
    same text := (
        SELECT pg_catalog.string_agg(pg_catalog.format('x.%1$I OPERATOR(%2$I.%3$s) r.%1$I', a.attname, s.nspname, o.oprname), ' AND ')
        FROM pg_catalog.pg_index i
        CROSS JOIN LATERAL ROWS FROM (pg_catalog.unnest(i.indkey::smallint[]), pg_catalog.unnest(i.indclass::oid[])) WITH ORDINALITY AS k (attnum, class, n)
        JOIN pg_catalog.pg_attribute a ON a.attrelid = tab AND a.attnum = k.attnum
        JOIN pg_catalog.pg_opclass c ON c.oid = k.class
        JOIN pg_catalog.pg_amop m ON m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype AND m.amopstrategy = 3
        JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr JOIN pg_catalog.pg_namespace s ON s.oid = o.oprnamespace
        WHERE i.indrelid = tab AND i.indisprimary AND k.n <= i.indnkeyatts);
    lost text;
    col record;
BEGIN
    IF how <> 'full' THEN
        RETURN said;
    ELSIF columns IS NULL OR EXISTS (SELECT FROM pg_catalog.unnest(records) AS o (rows) CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(o.rows) AS e (row)
                                     WHERE pg_catalog.jsonb_typeof(e.row) <> 'object') THEN
        RETURN NULL;
    END IF;
    IF first_role OPERATOR(pg_catalog.<>) own_role THEN
        PERFORM pg_catalog.set_config('role', first_role, true);
    END IF;
    texts := pruned.texts_of(tab);
    lost := (SELECT pg_catalog.substr(t.name, 2) FROM pg_catalog.unnest(texts) AS t (name)
             WHERE pg_catalog.left(t.name, 1) = '=' AND EXISTS (
                 SELECT FROM pg_catalog.unnest(records) AS o (rows) CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(o.rows) AS e (row)
                 WHERE pg_catalog.jsonb_typeof(e.row -> pg_catalog.substr(t.name, 2)) NOT IN ('string', 'null')) LIMIT 1);
    IF lost IS NULL AND columns <> '{}' THEN
    BEGIN
        EXECUTE (SELECT pg_catalog.format('SELECT d.name FROM pg_catalog.unnest($1) AS o (rows) CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(o.rows) AS e (row) CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%1$s, e.row) AS r'
                     ' LEFT JOIN %1$s AS x ON %2$s CROSS JOIN LATERAL (VALUES %3$s) AS d (name, was, back)'
                     ' WHERE d.was IS DISTINCT FROM d.back AND (d.was IS NOT NULL OR d.back IS NOT NULL)'
                     ' AND (e.row -> d.name = pg_catalog.to_jsonb(x.*) -> d.name OR e.row -> d.name = pg_catalog.to_jsonb(d.was)) LIMIT 1',
                     rel, coalesce(same, 'false'), pg_catalog.string_agg(pg_catalog.format('(%L, %s, %s)', a.attname, pg_catalog.format(a.text, 'x', a.attname), pg_catalog.format(a.text, 'r', a.attname)), ', '))
                 FROM (SELECT a.attname, CASE a.atttypid WHEN 'pg_catalog.json'::pg_catalog.regtype THEN 'nullif(%1$I.%2$I::pg_catalog.jsonb, ''null'')::text'
                                                         WHEN 'pg_catalog.jsonb'::pg_catalog.regtype THEN 'nullif(%1$I.%2$I, ''null'')::text'
                                                         ELSE 'CASE WHEN %1$I.%2$I IS DISTINCT FROM NULL THEN pg_catalog.format(''%%s'', %1$I.%2$I) END' END AS text
                       FROM pg_catalog.pg_attribute a
                       WHERE a.attrelid = tab AND a.attnum > 0 AND a.attname::text = ANY (columns)) AS a)
            INTO lost USING records;
    EXCEPTION WHEN OTHERS THEN
        -- Which column is it? None, if a row of nothing but NULL cannot be read either: a domain
        -- forbids it, and the column is not recorded.
        BEGIN
            EXECUTE pg_catalog.format('SELECT pg_catalog.count(pg_catalog.jsonb_populate_record(NULL::%s, ''{}''))', rel);
        EXCEPTION WHEN OTHERS THEN
            columns := '{}';
            lost := '';
        END;
        FOR col IN SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = tab AND a.attnum > 0 AND a.attname::text = ANY (columns) LOOP
            BEGIN
                EXECUTE pg_catalog.format('SELECT pg_catalog.count(pg_catalog.jsonb_populate_record(NULL::%s, pg_catalog.jsonb_build_object(%L, e.row -> %2$L)))'
                                          ' FROM pg_catalog.unnest($1) AS o (rows) CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(o.rows) AS e (row)', rel, col.attname) USING records;
            EXCEPTION WHEN OTHERS THEN
                lost := col.attname;
            END;
            EXIT WHEN lost IS NOT NULL;
        END LOOP;
        IF lost IS NULL THEN
            RAISE;
        END IF;
    END;
    END IF;
    lost := nullif(lost, '');
    IF first_role OPERATOR(pg_catalog.<>) own_role THEN
        PERFORM pg_catalog.set_config('role', own_role, true);
    END IF;
    RETURN said OPERATOR(pg_catalog.||) pg_catalog.jsonb_build_object('texts', texts::text) OPERATOR(pg_catalog.||) CASE WHEN lost IS NULL THEN '{}'::jsonb ELSE pg_catalog.jsonb_build_object('lost', lost,
        'type', (SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute a WHERE a.attrelid = tab AND a.attname::text = lost AND NOT a.attisdropped)) END;
END
$$;
REVOKE ALL ON FUNCTION pruned.texts_of(oid), pruned.recorded(anyelement, text[]), pruned.recorded_table(text, text), pruned.read_back(text, oid, text, text, jsonb[]) FROM PUBLIC;

-- The daemons that there are go on.
DO $$
DECLARE
    member text;
BEGIN
    FOR member IN
        SELECT DISTINCT pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee))
        FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) AS a
        WHERE c.oid = 'pruned.runs'::regclass AND a.privilege_type = 'UPDATE' AND a.grantee NOT IN (0, c.relowner)
    LOOP
        EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION pruned.texts_of(oid), pruned.recorded(anyelement, text[]), pruned.recorded_table(text, text), pruned.read_back(text, oid, text, text, jsonb[]) TO %s', member);
    END LOOP;
END $$;
