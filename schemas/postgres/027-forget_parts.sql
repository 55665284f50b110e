-- Schema `pruned`, step 27: `pruned forget` also finds rows that name a row by several columns.
-- compatible_from: 15

-- As step 10 has it, but with what a row of each of TABLES contains that names this one: an object
-- of its columns (PARTS). The function of step 10 is for programs that do not know this one.
CREATE FUNCTION pruned.forget_named(whose text, key jsonb, tables text[], parts jsonb[]) RETURNS TABLE (name text, n bigint)
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
                                OR EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest(tables), pg_catalog.unnest(parts)) AS c (t, named)
                                           WHERE c.t = d.table_name AND (e.k || c.named = e.k OR coalesce(e.r || c.named = e.r, false))) AS mine) AS m
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
REVOKE ALL ON FUNCTION pruned.forget_named(text, jsonb, text[], jsonb[]) FROM PUBLIC;
