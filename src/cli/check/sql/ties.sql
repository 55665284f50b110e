-- What happens beside the job's own statements, by table: the application's triggers and rules on
-- what is deleted or updated, and foreign keys of tables that the job does not write. Reads the
-- catalogue only.
WITH written AS (
  SELECT w.job, c.oid, c.relname, pg_catalog.array_agg(w.name) AS privileges
  FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
  JOIN pg_class c ON c.oid = pg_catalog.to_regclass(w.relation) AND c.relkind IN ('r', 'p')
  GROUP BY w.job, c.oid, c.relname)
SELECT w.job, 'triggers' AS kind,
       pg_catalog.format('%s of %s: %s', CASE count(*) WHEN 1 THEN '1 trigger' ELSE count(*)::text || ' triggers' END, w.relname,
                         pg_catalog.string_agg(t.tgname, ', ' ORDER BY t.tgname)) AS detail
FROM written w
JOIN pg_trigger t ON t.tgrelid = w.oid AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  AND (t.tgtype & 8 <> 0 AND 'DELETE' = ANY (w.privileges) OR t.tgtype & 16 <> 0 AND 'UPDATE' = ANY (w.privileges))
GROUP BY w.job, w.relname
UNION ALL
SELECT w.job, 'rule',
       pg_catalog.format(CASE WHEN r.is_instead THEN 'rule %s of %s does something else in place of the job''s statement'
                              ELSE 'rule %s of %s does more than the job''s statement' END, r.rulename, w.relname)
FROM written w
JOIN pg_rewrite r ON r.ev_class = w.oid AND r.ev_enabled <> 'D'
  AND (r.ev_type = '4' AND 'DELETE' = ANY (w.privileges) OR r.ev_type = '2' AND 'UPDATE' = ANY (w.privileges))
UNION ALL
SELECT w.job, CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE 'foreign key' END,
       pg_catalog.format(CASE k.confdeltype WHEN 'c' THEN 'rows of %s go with those of %s, by %s; they are not audited'
                                            WHEN 'n' THEN 'columns of %s become NULL when rows of %s go, by %s'
                                            WHEN 'd' THEN 'columns of %s get their default when rows of %s go, by %s'
                                            ELSE 'rows of %s block those of %s, by %s' END,
                         pg_catalog.string_agg(DISTINCT k.conrelid::regclass::text, ', '), w.relname,
                         pg_catalog.string_agg(k.conname, ', ' ORDER BY k.conname))
FROM written w
JOIN pg_constraint k ON k.confrelid = w.oid AND k.contype = 'f' AND k.conparentid = 0
WHERE 'DELETE' = ANY (w.privileges) AND NOT EXISTS (SELECT FROM written o WHERE o.job = w.job AND o.oid = k.conrelid)
GROUP BY w.job, w.relname, k.confdeltype
ORDER BY 1, 2, 3
