-- Every foreign key, of one column or of several, that leads to the rows this step deletes, with
-- the statement that deletes its rows or, where the key says so, sets it to null or its default.
-- The keys come from the catalogue, for tables that no list names, too; references that the
-- application keeps without a key are added. The same follows for rows that refer to those rows, by
-- the shortest way.
-- `level` is the distance by the longest way: 1 is next to the projects or groups, and rows further
-- away are deleted first.
-- `hold` locks rows before they are deleted, up to a limit, if others can refer to them. Of a table
-- that refers to itself it prefers rows to which none of its rows refers, so that a long chain goes
-- from its end. It is null without the right to lock, or if nothing can refer to the rows.
-- `look` finds the tables with rows that a key would delete with the locked ones, by whatever way,
-- each as a relation and a condition (../shared/cascades.sql); and the locked rows themselves, if a
-- key would change rows that refer to them.
-- `sql` deletes only the locked rows. A row for which the statement has waited, and that refers
-- elsewhere after that, stays (`pruned_was`). Rows that refer to the portion itself by one column
-- are found once and deleted where they stand (`plain`): half the cost of finding them again by
-- key.
-- Tables with a file of their own here come last: with `hold` and `look` only, if a key leads to
-- their rows (`condition` null: the key changes the rows it leads from), or with `hold` only if
-- they are deleted with the portion itself. Restricting keys are left to fail: the error names
-- them.
-- `probe` is one query for the numbers of the references that have rows, the furthest first. `may`
-- is false where the role has no right; then the rows go by their foreign key, without a record.
-- `beside`: only foreign keys lead to the table, not the job's own lists. `counts` counts the rows
-- of these tables, each table's and action's (`takes`: deleted).
-- Only this file quotes names.
WITH RECURSIVE
-- include: known.sql
,
reference (rel, col, target, refcol, rule, nulls, same) AS (
  SELECT c.conrelid, k.col, c.confrelid, k.refcol, CASE c.confdeltype WHEN 'c' THEN 'c' ELSE 'n' END, k.nulls, k.same
  FROM pg_constraint c, LATERAL (SELECT pg_catalog.to_jsonb(c.*) -> 'confdelsetcols' AS picked) AS s, LATERAL (
    SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY u.n) AS col, pg_catalog.string_agg(pg_catalog.quote_ident(f.attname), ', ' ORDER BY u.n) AS refcol,
           pg_catalog.string_agg(pg_catalog.format('y.%I = x.%I', a.attname, f.attname), ' AND ') AS same,
           pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || CASE c.confdeltype WHEN 'd' THEN ' = DEFAULT' ELSE ' = NULL' END, ', ' ORDER BY u.n)
             FILTER (WHERE pg_catalog.jsonb_typeof(s.picked) IS DISTINCT FROM 'array' OR s.picked @> pg_catalog.to_jsonb(a.attnum)) AS nulls
    FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS u (child, parent, n)
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = u.child
    JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = u.parent) AS k
  WHERE c.contype = 'f' AND c.conparentid = 0 AND c.confdeltype IN ('c', 'n', 'd')
  UNION
  SELECT a.attrelid, k.col, pg_catalog.to_regclass(k.target), k.refcol, k.rule, k.col || ' = NULL', pg_catalog.format('y.%s = x.%s', k.col, k.refcol)
  FROM known k JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(k.tab) AND a.attname = k.col AND NOT a.attisdropped
  WHERE pg_catalog.to_regclass(k.target) IS NOT NULL
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid = a.attrelid AND c.conkey OPERATOR(pg_catalog.=) ARRAY[a.attnum])
),
own (tab, projects, groups) AS (
  VALUES ('projects', 'id = ANY (:project::bigint[])', NULL),
         ('namespaces', 'id = ANY (:namespace::bigint[])', 'id = ANY (:group::bigint[])'),
         ('namespace_details', 'namespace_id = ANY (:namespace::bigint[])', 'namespace_id = ANY (:group::bigint[])'),
         ('group_deletion_schedules', NULL, 'group_id = ANY (:group::bigint[])'),
         ('ci_job_artifacts', 'project_id = ANY (:project::bigint[])', NULL)
  UNION ALL
  SELECT tab, '(source_type = ''Project'' AND source_id = ANY (:project::bigint[])'
         ' OR source_type = ''Namespace'' AND source_id = ANY (:namespace::bigint[]))',
         'source_type = ''Namespace'' AND source_id = ANY (:group::bigint[])'
  FROM unnest(ARRAY['members', 'notification_settings', 'redirect_routes']) AS t (tab)
  UNION ALL
  SELECT 'routes', '(source_type = ''Project'' AND source_id = ANY (:project::bigint[])'
         ' OR source_type = ''Namespace'' AND source_id = ANY (:namespace::bigint[]) OR namespace_id = ANY (:namespace::bigint[]))',
         '(source_type = ''Namespace'' AND source_id = ANY (:group::bigint[]) OR namespace_id = ANY (:group::bigint[]))'
),
here (rel, condition, level, tab) AS (
  SELECT pg_catalog.to_regclass(o.tab), c.condition, CASE WHEN o.tab IN ('projects', 'namespaces') THEN 0 ELSE 1 END, o.tab
  FROM own o, LATERAL (SELECT CASE :kind::text WHEN 'projects' THEN projects ELSE groups END AS condition) AS c
  WHERE c.condition IS NOT NULL AND pg_catalog.to_regclass(o.tab) IS NOT NULL
),
other AS MATERIALIZED (
  SELECT * FROM reference WHERE rel NOT IN (SELECT pg_catalog.to_regclass(tab)::oid FROM own WHERE pg_catalog.to_regclass(tab) IS NOT NULL)
),
reach (rel, depth) AS (
  SELECT o.rel, h.level + 1 FROM here h JOIN other o ON o.target = h.rel AND o.rule = 'c'
  UNION
  SELECT o.rel, r.depth + 1 FROM reach r JOIN other o ON o.target = r.rel AND o.rel <> o.target AND o.rule = 'c' WHERE r.depth < 6
),
way AS MATERIALIZED (SELECT rel, pg_catalog.min(depth) AS shortest, pg_catalog.max(depth) AS longest FROM reach GROUP BY rel),
walk (rel, col, rule, nulls, condition, simple, depth, beyond) AS (
  SELECT o.rel, o.col, o.rule, o.nulls,
         CASE WHEN s.simple THEN o.col || pg_catalog.substr(h.condition, 3)
              ELSE pg_catalog.format('(%s) IN (SELECT %s FROM %s WHERE %s)', o.col, o.refcol, h.rel, h.condition) END, s.simple, h.level + 1, h.level
  FROM here h JOIN other o ON o.target = h.rel, LATERAL (SELECT h.condition LIKE 'id = ANY%' AND o.refcol = 'id' AS simple) AS s
  UNION ALL
  SELECT o.rel, o.col, o.rule, o.nulls, pg_catalog.format('(%s) IN (SELECT %s FROM %s WHERE %s)', o.col, o.refcol, w.rel::regclass, w.condition), false,
         w.depth + 1, t.longest
  FROM walk w JOIN way t ON t.rel = w.rel JOIN other o ON o.target = w.rel LEFT JOIN way n ON n.rel = o.rel
  WHERE w.rule = 'c' AND (o.rule = 'n' OR n.shortest = w.depth + 1)
),
placed AS (
  SELECT w.*, CASE w.rule WHEN 'c' THEN n.longest ELSE w.beyond + 1 END AS level FROM walk w LEFT JOIN way n ON n.rel = w.rel
),
keyed AS (
  SELECT w.*, row_number() OVER (ORDER BY w.level DESC, w.rel::regclass::text, w.col, w.condition) AS number,
         pg_catalog.has_table_privilege(w.rel, 'SELECT') AND pg_catalog.has_table_privilege(w.rel, CASE w.rule WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END) AS may,
         pg_catalog.replace(w.rel::regclass::text, '''', '''''') AS tab,
         w.rel NOT IN (SELECT pg_catalog.to_regclass(tab)::oid FROM known WHERE pg_catalog.to_regclass(tab) IS NOT NULL) AS beside, k.*
  FROM placed w, LATERAL (
    SELECT coalesce(pg_catalog.string_agg(pg_catalog.format('t.%I = d.pruned_%s', a.attname, a.attnum), ' AND '),
                    't.ctid = d.pruned_at AND t.tableoid = d.pruned_part') AS match,
           coalesce(pg_catalog.string_agg(pg_catalog.format('x.%I AS pruned_%s', a.attname, a.attnum), ', '),
                    'x.ctid AS pruned_at, x.tableoid AS pruned_part') AS columns,
           CASE count(*) WHEN 0 THEN CASE w.rule WHEN 'c' THEN 'pg_catalog.to_jsonb(t.*)' ELSE 'd.pruned_row' END
                         WHEN 1 THEN pg_catalog.format('t.%I', pg_catalog.min(a.attname))
                         ELSE pg_catalog.format('pg_catalog.jsonb_build_object(%s)', pg_catalog.string_agg(pg_catalog.format('%1$L, t.%1$I', a.attname), ', ')) END AS key
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::smallint[])[0: (i.indnkeyatts - 1)])
    WHERE i.indrelid = w.rel AND i.indisprimary) AS k
),
-- The ctid alone does not identify a row in a partitioned table.
held AS (
  SELECT k.*, CASE WHEN l.look IS NULL THEN k.condition ELSE h.doomed END AS doomed, l.look,
         CASE WHEN k.rule = 'c' AND k.simple AND c.relkind = 'r' AND NOT c.relhassubclass THEN k.condition END AS plain,
         CASE WHEN l.look IS NOT NULL
              THEN pg_catalog.format('WITH d AS MATERIALIZED (SELECT x.ctid AS at FROM %1$s x WHERE (%2$s)%4$s LIMIT :limit::int FOR UPDATE) '
                          'SELECT pg_catalog.set_config(%3$L, ARRAY(SELECT at FROM d)::text, true) AS held',
                          k.rel::regclass, k.condition, 'pruned.held_' || k.number::text,
                          CASE WHEN l.leaf <> '' THEN
                            pg_catalog.format(' AND x.ctid = ANY (ARRAY(SELECT at FROM (SELECT x.ctid AS at FROM %1$s x WHERE (%2$s)%3$s UNION ALL '
                                   'SELECT x.ctid FROM %1$s x WHERE (%2$s) AND NOT EXISTS (SELECT FROM %1$s x WHERE (%2$s)%3$s)) AS f '
                                   'LIMIT :limit::int))', k.rel::regclass, k.condition, l.leaf) END) END AS hold
  FROM keyed k JOIN pg_class c ON c.oid = k.rel, LATERAL (
    SELECT pg_catalog.format('ctid = ANY (pg_catalog.current_setting(%L)::tid[])', 'pruned.held_' || k.number::text)
           || CASE c.relkind WHEN 'p' THEN pg_catalog.format(' AND (%s)', k.condition) ELSE '' END AS doomed) AS h, LATERAL (
    SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS relation, %L AS condition WHERE EXISTS (SELECT FROM %s x1 WHERE %s)',
                             CASE o.rule WHEN 'c' THEN o.rel ELSE k.rel END::regclass, CASE o.rule WHEN 'c' THEN o.condition ELSE h.doomed END,
                             o.rel::regclass, o.condition), ' UNION ALL ') AS look,
           pg_catalog.string_agg(CASE WHEN o.rule = 'c' AND o.rel = k.rel THEN pg_catalog.format(' AND NOT EXISTS (SELECT FROM %s y WHERE %s AND (y.ctid, y.tableoid)'
                                                          ' <> (x.ctid, x.tableoid))', o.rel::regclass, o.same) END, '') AS leaf
    FROM (SELECT r.rel, r.rule, r.same, pg_catalog.format('(%s) IN (SELECT %s FROM %s x0 WHERE %s)', r.col, r.refcol, k.rel::regclass, h.doomed) AS condition
          FROM reference r
          WHERE k.rule = 'c' AND k.may AND r.target = k.rel AND pg_catalog.has_table_privilege(k.rel, 'UPDATE') AND pg_catalog.has_table_privilege(r.rel, 'SELECT')
            AND pg_catalog.has_table_privilege(r.rel, CASE r.rule WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END)) AS o) AS l
),
-- Tables that have a file of their own: what it may delete is held first, if rows of others go with
-- that or are changed by it. The file asks for the setting. Of those that go with the batch itself
-- all are held at its beginning, as the batch is: who comes later waits.
owned AS (
  SELECT h.rel, h.condition, h.with_batch, 'pruned.held_' || h.tab AS setting,
         pg_catalog.string_agg(pg_catalog.format('SELECT %L AS relation, %s AS condition WHERE EXISTS (SELECT FROM %s x1 WHERE %s)', o.rel::regclass,
                           CASE o.rule WHEN 'c' THEN pg_catalog.quote_literal(c.refers) ELSE 'NULL' END, o.rel::regclass, c.refers), ' UNION ALL ') AS look
  FROM (SELECT *, tab NOT IN ('members', 'notification_settings', 'redirect_routes', 'ci_job_artifacts') AS with_batch FROM here WHERE level = 1) AS h
  JOIN other o ON o.target = h.rel, LATERAL (
    SELECT pg_catalog.format('(%s) IN (SELECT %s FROM %s x0 WHERE x0.ctid = ANY (pg_catalog.current_setting(%L)::tid[]) AND %s)', o.col, o.refcol, h.rel::regclass,
                  'pruned.held_' || h.tab, h.condition) AS refers) AS c
  WHERE pg_catalog.has_table_privilege(h.rel, 'UPDATE') AND pg_catalog.has_table_privilege(o.rel, 'SELECT')
    AND pg_catalog.has_table_privilege(o.rel, CASE o.rule WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END)
  GROUP BY h.rel, h.condition, h.tab, h.with_batch
),
counted AS (
  SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS table_name, %L::boolean AS takes, count(*) AS n FROM (%s) AS s', tab, rule = 'c', found), ' UNION ALL ') AS counts
  FROM (SELECT tab, rule, pg_catalog.string_agg(pg_catalog.format('(SELECT x.tableoid, x.ctid FROM %s x WHERE %s LIMIT :limit::int)', rel::regclass, condition), ' UNION ') AS found
        FROM keyed WHERE may AND beside GROUP BY rel, tab, rule) AS t
)
SELECT number, level, tab AS table, may, beside, CASE rule WHEN 'c' THEN 'deleted' ELSE 'updated' END AS action, hold, look,
       pg_catalog.format(CASE WHEN plain IS NOT NULL
                THEN 'DELETE FROM %1$s t WHERE t.ctid = ANY (ARRAY(SELECT x.ctid FROM %1$s x WHERE %2$s LIMIT :limit::int)) AND t.%8$s'
                     ' RETURNING %5$s AS key, pg_catalog.to_jsonb(t.*) AS row'
                WHEN rule = 'c'
                THEN 'WITH d AS MATERIALIZED (SELECT %3$s, ROW(%7$s) AS pruned_was FROM %1$s x WHERE %2$s LIMIT :limit::int) '
                     'DELETE FROM %1$s t USING d WHERE %4$s AND ROW(%7$s) = d.pruned_was RETURNING %5$s AS key, pg_catalog.to_jsonb(t.*) AS row'
                ELSE 'WITH d AS MATERIALIZED (SELECT %3$s, ROW(%7$s) AS pruned_was, pg_catalog.to_jsonb(x.*) AS pruned_row FROM %1$s x WHERE %2$s '
                     'LIMIT :limit::int) UPDATE %1$s t SET %6$s FROM d WHERE %4$s AND ROW(%7$s) = d.pruned_was '
                     'RETURNING %5$s AS key, d.pruned_row AS row' END,
              rel::regclass, doomed, columns, match, key, nulls, col, plain) AS sql,
       pg_catalog.string_agg(pg_catalog.format('SELECT %s AS number WHERE EXISTS (SELECT FROM %s x WHERE %s)', number, rel::regclass, condition), ' UNION ALL ')
         FILTER (WHERE may) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS probe,
       (SELECT counts FROM counted) AS counts
FROM held
UNION ALL
SELECT NULL, NULL, w.rel::regclass::text, true, false, NULL,
       CASE WHEN w.with_batch THEN pg_catalog.format('SELECT true AS held FROM %s x WHERE %s FOR UPDATE', w.rel::regclass, w.condition)
            ELSE pg_catalog.format('WITH d AS MATERIALIZED (SELECT x.ctid AS at FROM %s x WHERE %s LIMIT :limit::int FOR UPDATE) '
                        'SELECT pg_catalog.set_config(%L, ARRAY(SELECT at FROM d)::text, true) AS held', w.rel::regclass, w.condition, w.setting) END,
       CASE WHEN NOT w.with_batch THEN w.look END, NULL, NULL, NULL
FROM owned w
ORDER BY number
