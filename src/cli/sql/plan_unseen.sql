-- What a plan cannot foresee of a job whose files remove rows of `:removed` and change rows of
-- `:changed` (of these only `:columns`, as SQL writes them; null: not known which). `files`: they
-- are files of the user. Foreign keys lead from these tables to others, whose rows then go (`gone`)
-- or change. `why`: `trigger`, `rule`: the application's own, `name`, runs for such a row;
-- `right`: this role does not see rows of the table; `key`: ON UPDATE of `name` can change rows of
-- the table; `file`: no foreign key tells which rows of it a file removes; `beside`, of a job of
-- the program (`:built_in`) that does not count them: its rows go or change with those of the table
-- `name`, of which that is so. Reads the catalogue only.
WITH RECURSIVE named AS (
  SELECT n.removed, n.place,
-- include: ../../engine/step/sql/relation_named.sql
         AS rel
  FROM (SELECT t.tab, true AS removed, t.place FROM pg_catalog.unnest(:removed::text[]) WITH ORDINALITY AS t (tab, place)
        UNION ALL SELECT t.tab, false, t.place FROM pg_catalog.unnest(:changed::text[]) WITH ORDINALITY AS t (tab, place)) AS n
),
reach (rel, gone, columns, part) AS (
  SELECT n.rel, n.removed,
         CASE WHEN NOT n.removed AND :columns::text[] IS NOT NULL
              THEN (SELECT pg_catalog.array_agg(a.attnum) FROM pg_attribute a JOIN pg_catalog.unnest(:columns::text[]) AS c (name) ON a.attname = (pg_catalog.parse_ident(c.name))[1]
                    WHERE a.attrelid = n.rel) END, false
  FROM named n WHERE n.rel IS NOT NULL
  UNION
  SELECT x.rel, x.gone, x.columns, x.part FROM reach r CROSS JOIN LATERAL (
    SELECT i.inhrelid AS rel, r.gone, NULL::int2[] AS columns, true AS part FROM pg_inherits i WHERE i.inhparent = r.rel
    UNION ALL
    SELECT f.conrelid, f.confdeltype = 'c', CASE WHEN f.confdeltype <> 'c' THEN f.conkey END, false
    FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = r.rel AND f.confdeltype IN ('c', 'n', 'd') AND r.gone AND NOT r.part
    UNION ALL
    SELECT f.conrelid, false, f.conkey, false
    FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = r.rel AND f.confupdtype IN ('c', 'n', 'd') AND NOT r.gone AND NOT r.part
     AND r.columns IS NOT NULL AND f.confkey OPERATOR(pg_catalog.&&) r.columns
    OFFSET 0) AS x
)
SELECT DISTINCT w.why, w.name::text AS name, coalesce(pg_catalog.pg_partition_root(w.rel), w.rel::regclass)::text AS tab
FROM (
  SELECT 'trigger' AS why, g.tgname AS name, r.rel FROM reach r JOIN pg_trigger g ON g.tgrelid = r.rel
  WHERE NOT g.tgisinternal AND g.tgenabled IN ('O', 'A') AND g.tgtype & CASE WHEN r.gone THEN 8 ELSE 16 END <> 0
    AND (pg_catalog.cardinality(g.tgattr::int2[]) = 0 OR r.columns IS NULL OR g.tgattr::int2[] OPERATOR(pg_catalog.&&) r.columns)
  UNION ALL
  SELECT 'rule', e.rulename, r.rel FROM reach r JOIN pg_rewrite e ON e.ev_class = r.rel
  WHERE e.ev_enabled IN ('O', 'A') AND e.ev_type = CASE WHEN r.gone THEN '4' ELSE '2' END
  UNION ALL
  SELECT 'right', NULL, r.rel FROM reach r
  WHERE NOT r.part AND (pg_catalog.row_security_active(r.rel) OR NOT pg_catalog.has_table_privilege(r.rel, 'SELECT'))
  UNION ALL
  SELECT 'key', f.conname, f.conrelid FROM named n JOIN pg_constraint f ON f.confrelid = n.rel AND f.contype = 'f' AND f.confupdtype IN ('c', 'n', 'd')
  WHERE NOT n.removed AND :files::boolean AND :columns::text[] IS NULL AND f.conparentid = 0
  UNION ALL
  SELECT 'file', NULL, n.rel FROM named n
  WHERE n.removed AND n.place > 1 AND :files::boolean
    AND NOT EXISTS (SELECT FROM pg_constraint f JOIN reach r ON r.rel = f.confrelid AND r.gone WHERE f.contype = 'f' AND f.conrelid = n.rel)
  UNION ALL
  SELECT 'beside', n.rel::regclass::text, k.conrelid FROM named n JOIN pg_constraint k ON k.confrelid = n.rel AND k.contype = 'f' AND k.confdeltype IN ('c', 'n', 'd') AND k.conparentid = 0
  WHERE n.removed AND n.place > 1 AND :built_in::boolean AND k.conrelid <> n.rel) AS w
ORDER BY 1, 3, 2
