-- Schema `pruned`, step 29: `pruned forget` compares whole keys, and reads no record that cannot
-- have the row.
-- compatible_from: 15

-- Removes rows from the audit: those of table WHOSE with this key, and those of each of TABLES that
-- contain its object of columns (PARTS). A record of them stays: run, step, table, and keys that
-- are numbers. A value of JSON is compared as a whole: `[1]` is not in `[1, 2]`. Where the row is
-- recorded its columns count, and those of its key only for what it leaves out.
--
-- Records are found first, by what they contain: those of the key itself by the index on keys
-- (deletions_named), those of rows that name it by reading the records of TABLES. Called without
-- sequential scans: the planner does not see that records are wide.
CREATE OR REPLACE FUNCTION pruned.forget_named(whose text, key jsonb, tables text[], parts jsonb[]) RETURNS TABLE (name text, n bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH found AS MATERIALIZED (
        SELECT DISTINCT ON (x.part, x.place) x.* FROM (
            SELECT d.tableoid AS part, d.ctid AS place, d.run_id, d.step, d.table_name, d.keys, d.rows
            FROM pruned.deletions d
            WHERE d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]') @> pg_catalog.jsonb_build_array(key)
              AND d.table_name = whose AND d.action <> 'forgotten'
            UNION ALL
            SELECT d.tableoid, d.ctid, d.run_id, d.step, d.table_name, d.keys, d.rows
            FROM pruned.deletions d
            WHERE pg_catalog.cardinality(tables) > 0 AND d.table_name = ANY (tables) AND d.action <> 'forgotten'
              AND EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest(tables), pg_catalog.unnest(parts)) AS c (t, named)
                          WHERE c.t = d.table_name
                            AND (d.keys @> pg_catalog.jsonb_build_array(c.named) OR coalesce(d.rows @> pg_catalog.jsonb_build_array(c.named), false)))) AS x
        ORDER BY x.part, x.place
    ),
    hit AS MATERIALIZED (
        SELECT f.part, f.place, f.run_id, f.step, f.table_name,
               pg_catalog.jsonb_agg(e.k ORDER BY e.n) FILTER (WHERE NOT m.mine) AS keys,
               CASE WHEN f.rows IS NOT NULL THEN pg_catalog.jsonb_agg(e.r ORDER BY e.n) FILTER (WHERE NOT m.mine) END AS rows,
               pg_catalog.jsonb_agg(CASE WHEN pg_catalog.jsonb_typeof(e.k) = 'number' THEN e.k END ORDER BY e.n) FILTER (WHERE m.mine) AS taken
        FROM found f
        CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(f.keys),
                                      pg_catalog.jsonb_array_elements(f.rows)) WITH ORDINALITY AS e (k, r, n)
        CROSS JOIN LATERAL (SELECT (f.table_name = whose AND e.k = key)
                                OR EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest(tables), pg_catalog.unnest(parts)) AS c (t, named)
                                           WHERE c.t = f.table_name
                                             AND (coalesce(e.r || c.named = e.r, false)
                                                  OR (pg_catalog.jsonb_typeof(e.k) = 'object' AND e.k || c.named = e.k
                                                      AND NOT coalesce(e.r ?& ARRAY(SELECT pg_catalog.jsonb_object_keys(c.named)), false)))) AS mine) AS m
        GROUP BY f.part, f.place, f.run_id, f.step, f.table_name, f.rows
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

-- For programs that do not know step 27: those of TABLES whose COLUMNS name it.
CREATE OR REPLACE FUNCTION pruned.forget(whose text, key jsonb, tables text[], columns text[]) RETURNS TABLE (name text, n bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT f.name, f.n
    FROM pruned.forget_named(whose, key, tables, ARRAY(SELECT pg_catalog.jsonb_build_object(c.col, key)
                                                       FROM pg_catalog.unnest(columns) WITH ORDINALITY AS c (col, n) ORDER BY c.n)) AS f
$$;
