-- What happens beside the job's own statements, by table: the application's triggers and rules on
-- what is deleted or updated; foreign keys that no statement of the job follows, and those of them
-- that PostgreSQL finds rows by only when it reads a large table as a whole. `:name`: privileges,
-- and `follows KINDS [COLUMNS]` for a table whose foreign keys of these kinds
-- (pg_constraint.confdeltype) and columns (all) are followed; with `others` behind it not those to
-- the table itself. `count`: the question how many rows these foreign keys of the job's own table
-- (`own`) lead to from the rows `:key`, up to 100000 for each; NULL where it would read a large
-- table as a whole. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
,
written AS (
  SELECT l.job, c.oid, c.relname, pg_catalog.array_agg(l.name) AS privileges
  FROM located l JOIN pg_class c ON c.oid = l.rel AND c.relkind IN ('r', 'p')
  WHERE l.name NOT LIKE 'follows %' AND l.name <> 'own'
  GROUP BY l.job, c.oid, c.relname),
follows AS (
  SELECT l.job, l.rel, pg_catalog.split_part(l.name, ' ', 2) AS kinds, substring(l.name FROM '\[.*\]')::jsonb AS columns, l.name NOT LIKE '% others' AS selves
  FROM located l WHERE l.name LIKE 'follows %'),
key AS (
  SELECT w.job, w.oid, w.relname, k.conrelid, k.conname, k.confdeltype, k.conkey, k.confkey, k.conpfeqop
  FROM written w
  JOIN pg_constraint k ON k.confrelid = w.oid AND k.contype = 'f' AND k.conparentid = 0
  WHERE 'DELETE' = ANY (w.privileges) AND NOT EXISTS (
    SELECT FROM follows f
    WHERE f.job = w.job AND f.rel = k.conrelid AND pg_catalog.strpos(f.kinds, k.confdeltype::text) > 0 AND (f.selves OR k.conrelid <> k.confrelid)
      AND (f.columns IS NULL OR f.columns = (
        SELECT pg_catalog.jsonb_agg(a.attname ORDER BY u.n) FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u (attnum, n)
        JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum)))),
named AS ( -- the rows `:key` of the own table: by its primary key
  SELECT DISTINCT l.job, i.indrelid AS rel,
         CASE WHEN i.indnkeyatts = 1 THEN (SELECT pg_catalog.format('o.%I %s ANY (:key::text[]::%s[])', a.attname,
-- include: ../../../pg/sql/key_operator.sql
                                             , pg_catalog.format_type(a.atttypid, a.atttypmod))
                                           FROM (VALUES (1)) AS k (n) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0])
              ELSE (SELECT pg_catalog.format('EXISTS (SELECT FROM pg_catalog.unnest(:key::text[]) AS u (k) WHERE %s)',
                                             pg_catalog.string_agg(pg_catalog.format('o.%I %s (u.k::jsonb ->> %L)::%s', a.attname,
-- include: ../../../pg/sql/key_operator.sql
                                               , a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod)), ' AND ' ORDER BY k.n))
                    FROM pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
                    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum WHERE k.n <= i.indnkeyatts) END AS rows
  FROM located l JOIN pg_index i ON i.indrelid = l.rel AND i.indisprimary
  WHERE l.name = 'own'),
counted AS (
  SELECT k.job, k.oid, k.conname, k.conrelid,
         pg_catalog.format('(SELECT count(*) FROM (SELECT FROM %s AS c JOIN %s AS o ON %s WHERE %s LIMIT 100000) AS l)', k.conrelid::regclass, k.oid::regclass,
                           (SELECT pg_catalog.string_agg(pg_catalog.format('o.%I OPERATOR(%I.%s) c.%I', b.attname, s.nspname, e.oprname, a.attname), ' AND ')
                            FROM ROWS FROM (pg_catalog.unnest(k.conkey), pg_catalog.unnest(k.confkey), pg_catalog.unnest(k.conpfeqop)) AS u (a, b, e)
                            JOIN pg_operator e ON e.oid = u.e JOIN pg_namespace s ON s.oid = e.oprnamespace
                            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.a
                            JOIN pg_attribute b ON b.attrelid = k.oid AND b.attnum = u.b), n.rows) AS question
  FROM key k
  JOIN named n ON n.job = k.job AND n.rel = k.oid
  JOIN pg_class c ON c.oid = k.conrelid
  WHERE EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND i.indkey[0] = ANY (k.conkey))
     OR c.relkind = 'r' AND c.reltuples < :large::bigint::float8)
SELECT w.job, 'triggers' AS kind,
       pg_catalog.format('%s of %s: %s', CASE count(*) WHEN 1 THEN '1 trigger' ELSE count(*)::text || ' triggers' END, w.relname,
                         pg_catalog.string_agg(t.tgname, ', ' ORDER BY t.tgname)) AS detail,
       NULL AS remedy, NULL AS count
FROM written w
JOIN pg_trigger t ON t.tgrelid = w.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  AND (t.tgtype & 8 <> 0 AND 'DELETE' = ANY (w.privileges) OR t.tgtype & 16 <> 0 AND 'UPDATE' = ANY (w.privileges))
GROUP BY w.job, w.relname
UNION ALL
SELECT w.job, 'rule',
       pg_catalog.format(CASE WHEN r.is_instead THEN 'rule %s of %s does something else in place of the job''s statement'
                              ELSE 'rule %s of %s does more than the job''s statement' END, r.rulename, w.relname), NULL, NULL
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
                         pg_catalog.string_agg(k.conname, ', ' ORDER BY k.conname)), NULL,
       CASE WHEN pg_catalog.bool_and(q.question IS NOT NULL) THEN pg_catalog.format('SELECT %s AS n', pg_catalog.string_agg(q.question, ' + ')) END
FROM key k
LEFT JOIN counted q ON q.job = k.job AND q.oid = k.oid AND q.conname = k.conname AND q.conrelid = k.conrelid
GROUP BY k.job, k.oid, k.relname, k.confdeltype
UNION ALL
SELECT k.job, 'foreign key', pg_catalog.format('no index finds the rows of %s that refer to a row of %s, by %s: all of it is read for each row that goes', c.oid::regclass, k.relname, k.conname),
       pg_catalog.format('CREATE INDEX %sON %s (%s);', CASE WHEN c.relkind <> 'p' THEN 'CONCURRENTLY ' END, c.oid::regclass,
                         (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY u.n) FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS u (attnum, n)
                          JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.attnum)), NULL
FROM key k
JOIN pg_class c ON c.oid = k.conrelid
WHERE :large::bigint::float8 <= CASE WHEN c.relkind <> 'p' THEN c.reltuples
                                     ELSE (SELECT pg_catalog.sum(l.reltuples) FROM pg_catalog.pg_partition_tree(c.oid) AS t JOIN pg_class l ON l.oid = t.relid
                                           WHERE t.isleaf AND l.reltuples > 0::real) END
  AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL AND i.indkey[0] = ANY (k.conkey))
ORDER BY 1, 2, 3
