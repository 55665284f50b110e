-- What happens beside the job's own statements, by table: the application's triggers and rules on
-- what is deleted or updated; foreign keys that no statement of the job follows, and those of them
-- that PostgreSQL finds rows by only when it reads a large table as a whole. `:name`: privileges,
-- and `follows KINDS [COLUMNS]` for a table whose foreign keys of these kinds
-- (pg_constraint.confdeltype) and columns (all) are followed; with `others` behind it not those to
-- the table itself. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
,
written AS (
  SELECT l.job, c.oid, c.relname, pg_catalog.array_agg(l.name) AS privileges
  FROM located l JOIN pg_class c ON c.oid = l.rel AND c.relkind IN ('r', 'p')
  WHERE l.name NOT LIKE 'follows %'
  GROUP BY l.job, c.oid, c.relname),
follows AS (
  SELECT l.job, l.rel, pg_catalog.split_part(l.name, ' ', 2) AS kinds, substring(l.name FROM '\[.*\]')::jsonb AS columns, l.name NOT LIKE '% others' AS selves
  FROM located l WHERE l.name LIKE 'follows %'),
key AS (
  SELECT w.job, w.relname, k.conrelid, k.conname, k.confdeltype, k.conkey
  FROM written w
  JOIN pg_constraint k ON k.confrelid = w.oid AND k.contype = 'f' AND k.conparentid = 0
  WHERE 'DELETE' = ANY (w.privileges) AND NOT EXISTS (
    SELECT FROM follows f
    WHERE f.job = w.job AND f.rel = k.conrelid AND pg_catalog.strpos(f.kinds, k.confdeltype::text) > 0 AND (f.selves OR k.conrelid <> k.confrelid)
      AND (f.columns IS NULL OR f.columns = (
        SELECT pg_catalog.jsonb_agg(a.attname ORDER BY u.n) FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u (attnum, n)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum))))
SELECT w.job, 'triggers' AS kind,
       pg_catalog.format('%s of %s: %s', CASE count(*) WHEN 1 THEN '1 trigger' ELSE count(*)::text || ' triggers' END, w.relname,
                         pg_catalog.string_agg(t.tgname, ', ' ORDER BY t.tgname)) AS detail,
       NULL AS remedy
FROM written w
JOIN pg_trigger t ON t.tgrelid = w.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  AND (t.tgtype & 8 <> 0 AND 'DELETE' = ANY (w.privileges) OR t.tgtype & 16 <> 0 AND 'UPDATE' = ANY (w.privileges))
GROUP BY w.job, w.relname
UNION ALL
SELECT w.job, 'rule',
       pg_catalog.format(CASE WHEN r.is_instead THEN 'rule %s of %s does something else in place of the job''s statement'
                              ELSE 'rule %s of %s does more than the job''s statement' END, r.rulename, w.relname), NULL
FROM written w
JOIN pg_rewrite r ON r.ev_class = w.oid AND r.ev_enabled <> 'D'
  AND (r.ev_type = '4' AND 'DELETE' = ANY (w.privileges) OR r.ev_type = '2' AND 'UPDATE' = ANY (w.privileges))
UNION ALL
SELECT k.job, CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE 'foreign key' END,
       pg_catalog.format(CASE k.confdeltype WHEN 'c' THEN 'rows of %s go with those of %s, by %s; they are not audited'
                                            WHEN 'n' THEN 'columns of %s become NULL when rows of %s go, by %s'
                                            WHEN 'd' THEN 'columns of %s get their default when rows of %s go, by %s'
                                            ELSE 'rows of %s block those of %s, by %s' END,
                         pg_catalog.string_agg(DISTINCT k.conrelid::regclass::text, ', '), k.relname,
                         pg_catalog.string_agg(k.conname, ', ' ORDER BY k.conname)), NULL
FROM key k
GROUP BY k.job, k.relname, k.confdeltype
UNION ALL
SELECT k.job, 'foreign key', pg_catalog.format('no index finds the rows of %s that refer to a row of %s, by %s: all of it is read for each row that goes', c.oid::regclass, k.relname, k.conname),
       pg_catalog.format('CREATE INDEX %sON %s (%s);', CASE WHEN c.relkind <> 'p' THEN 'CONCURRENTLY ' END, c.oid::regclass,
                         (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY u.n) FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u (attnum, n)
                          JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum))
FROM key k
JOIN pg_class c ON c.oid = k.conrelid
WHERE :large::bigint::float8 <= CASE WHEN c.relkind <> 'p' THEN c.reltuples
                                     ELSE (SELECT pg_catalog.sum(l.reltuples) FROM pg_catalog.pg_partition_tree(c.oid) AS t JOIN pg_class l ON l.oid = t.relid
                                           WHERE t.isleaf AND l.reltuples > 0::real) END
  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND i.indkey[0] = ANY (k.conkey))
ORDER BY 1, 2, 3
