-- Builds the statement that restores rows of a table, or undoes a change of them, from a record
-- whose rows have these columns; also returns why that is impossible (`blocked`), and what will
-- differ (`notes`), and whether something is lost (`incomplete`). `:emptied`: columns that the job
-- itself has changed; null: any. `:set`: the same of the table of the record, null: not known.
-- `:of_sentence`: beside these only foreign keys have changed columns.
-- Names come from the catalogue and are quoted here and nowhere else. Parameters of the statement:
-- `:run_id`, `:part`, `:place` (the record), `:position` (its rows), `:archived` (these, if a file
-- has them), `:item_column` (see job.conf), `:makes`; for changes also `:xid` and `:own`
-- (transactions whose rows are ours) and `:runs` (all runs that are restored). Reads the catalogue
-- only.
-- `key` is the row's key as pages give it, which names the row in quarantine: the record has that
-- of one column as a value of JSON (`2020-01-01T00:00:00+00:00`), so it is read as one of the
-- column. A record says null both for NULL and for the null of JSON: where NULL cannot be, it is
-- JSON's. An array that does not begin at 1, and a value whose JSON is another one than its text
-- (json_loses.sql), is a text in records of sentences, and what is compared with it is one, too.
-- `check` says, after the statement, which rows are not as it left them, and why; null where no
-- trigger and no rule can have done that. The statement passes on to it what it has put back
-- (`pruned.put`): each row's place, and the values that it has replaced.
WITH relation AS (
  SELECT pg_catalog.to_regclass(:table_name::text) AS rel,
         (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE c.oid = pg_catalog.to_regclass(:table_name::text)) AS row_type,
         (SELECT CASE c.relkind WHEN 'p' THEN 'NULL::text' ELSE 't.xmin::text' END FROM pg_class c
          WHERE c.oid = pg_catalog.to_regclass(:table_name::text)) AS xid,
         EXISTS (SELECT FROM pg_class c WHERE c.oid = pg_catalog.to_regclass(:table_name::text) AND c.relhasrules)
         OR EXISTS (SELECT FROM pg_trigger t WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'
                    AND (t.tgrelid = pg_catalog.to_regclass(:table_name::text)
                         OR t.tgrelid IN (SELECT p.relid FROM pg_catalog.pg_partition_tree(pg_catalog.to_regclass(:table_name::text)) AS p))) AS watched
),
col AS (
  SELECT a.attname, a.attnum, a.attname = ANY (:columns::text[]) AS kept, a.attgenerated <> '' AS computed, a.attidentity = 'a' AS by_identity,
         a.attname::text ~* :secret::text AS secret, y.oid = 'json'::regtype AS json,
         y.typcategory = 'A' AND y.typelem <> 0 AND y.typlen = -1 AND y.oid NOT IN ('int2vector'::regtype, 'oidvector'::regtype) AS bounded,
         (y.oid IN ('float4'::regtype, 'float8'::regtype) OR y.typlen = -1 AND y.typelem IN ('float4'::regtype, 'float8'::regtype)) AS zeros,
-- include: ../../../pg/sql/json_loses.sql
           AS loses,
         pg_catalog.format(CASE WHEN a.attnotnull AND a.atttypid IN ('json'::regtype, 'jsonb'::regtype) THEN 'coalesce(r.%I, ''null'')'
                                ELSE 'r.%I' END, a.attname) AS value,
         a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS wanted,
         g.sign IS NOT NULL AS is_key, g.sign
  FROM relation r JOIN pg_attribute a ON a.attrelid = r.rel AND a.attnum > 0 AND NOT a.attisdropped
  CROSS JOIN LATERAL (
    WITH RECURSIVE base (oid) AS (
      SELECT a.atttypid UNION ALL SELECT d.typbasetype FROM base b JOIN pg_type d ON d.oid = b.oid AND d.typtype = 'd')
    SELECT t.oid, t.typcategory, t.typelem, t.typlen FROM base b JOIN pg_type t ON t.oid = b.oid AND t.typtype <> 'd') AS y
  LEFT JOIN LATERAL (
    SELECT
-- include: ../../../pg/sql/key_operator.sql
           AS sign
    FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
    WHERE i.indrelid = a.attrelid AND i.indisprimary AND k.n <= i.indnkeyatts AND k.attnum = a.attnum) AS g ON true
),
-- The row that is there, as the record has rows; the record's, with texts of keys of which JSON is
-- another value, whatever has recorded them; and one that is put back, of which `of_t` has
-- enough to be found by, with the texts of all that the record can have as one.
whole AS (
  SELECT 'pg_catalog.to_jsonb(x.*)'
         || coalesce(pg_catalog.string_agg(pg_catalog.format(CASE WHEN c.is_key AND c.loses THEN ' || pg_catalog.jsonb_build_object(%1$L, pg_catalog.format(''%%s'', x.%2$I))'
                                           ELSE ' || CASE WHEN pg_catalog.jsonb_typeof(e.row -> %1$L) = ''string'' AND x.%2$I IS DISTINCT FROM NULL'
                                                ' THEN pg_catalog.jsonb_build_object(%1$L, pg_catalog.format(''%%s'', x.%2$I)) ELSE ''{}'' END' END, c.attname, c.attname), ''), '') AS of_x,
         'e.row' || coalesce(pg_catalog.string_agg(pg_catalog.format(' || pg_catalog.jsonb_build_object(%L, pg_catalog.format(''%%s'', r.%I))', c.attname, c.attname), '')
                             FILTER (WHERE c.is_key AND c.loses), '') AS of_r,
         'pg_catalog.to_jsonb(t.*)'
         || coalesce(pg_catalog.string_agg(pg_catalog.format(' || CASE WHEN %3$s THEN pg_catalog.jsonb_build_object(%1$L, pg_catalog.format(''%%s'', t.%2$I)) ELSE ''{}'' END', c.attname, c.attname,
                                           pg_catalog.format(CASE WHEN c.loses THEN 't.%I IS DISTINCT FROM NULL' WHEN c.zeros THEN 't.%I::text ~ ''^\[|(^|[{,])-0($|[},])'''
                                                                  ELSE 'pg_catalog.array_dims(t.%I) ~ ''\[(?!1:)''' END, c.attname)), '')
                     FILTER (WHERE c.is_key OR NOT (SELECT pg_catalog.bool_or(k.is_key) FROM col k)), '') AS of_t,
         coalesce('pg_catalog.jsonb_build_object('
                  || pg_catalog.string_agg(pg_catalog.format('%1$L, CASE WHEN t.%2$I IS DISTINCT FROM NULL THEN pg_catalog.format(''%%s'', t.%2$I) END', c.attname, c.attname), ', ') || ')', '''{}''::jsonb') AS texts
  FROM col c WHERE (c.bounded OR c.zeros OR c.loses) AND c.kept
),
-- Columns that a foreign key empties.
loosened AS (
  SELECT coalesce(pg_catalog.array_agg(DISTINCT c.attname::text), '{}') AS names
  FROM relation r JOIN pg_constraint f ON f.conrelid = r.rel AND f.contype = 'f' AND f.confdeltype = 'n' JOIN col c ON c.attnum = ANY (f.conkey)
),
-- Columns that a run of a sentence can have changed; null: any, for all that is known.
changing AS (
  SELECT CASE WHEN :of_sentence::boolean THEN coalesce(:set::text[], '{}') OPERATOR(pg_catalog.||) (
    SELECT coalesce(pg_catalog.array_agg(DISTINCT c.attname::text), '{}')
    FROM relation r JOIN pg_constraint f ON f.conrelid = r.rel AND f.contype = 'f' AND (f.confdeltype IN ('n', 'd') OR f.confupdtype IN ('c', 'n', 'd'))
    JOIN col c ON c.attnum = ANY (f.conkey)) END AS names
),
-- Columns that the record, or the table, does not have.
passed_over AS (
  SELECT coalesce(pg_catalog.array_agg(o.name ORDER BY o.name), '{}') AS names
  FROM (SELECT c.attname::text FROM col c WHERE NOT c.kept
        UNION SELECT u FROM pg_catalog.unnest(:columns::text[]) AS u WHERE u NOT IN (SELECT c.attname FROM col c)) AS o (name)
),
piece AS (
  SELECT pg_catalog.string_agg(pg_catalog.format('%I', c.attname), ', ' ORDER BY c.attnum) FILTER (WHERE c.kept AND NOT c.computed) AS into_columns,
         pg_catalog.string_agg(c.value, ', ' ORDER BY c.attnum) FILTER (WHERE c.kept AND NOT c.computed) AS from_columns,
         pg_catalog.string_agg(pg_catalog.format(CASE WHEN c.attname = ANY ((SELECT names FROM changing)::text[]) IS FALSE THEN '%1$I = CASE WHEN j.same OR pg_catalog.jsonb_exists(j.row, %3$L) THEN %2$s ELSE t.%1$I END'
                                                      ELSE '%1$I = %2$s' END, c.attname, c.value, c.attname), ', ' ORDER BY c.attnum)
           FILTER (WHERE c.kept AND NOT c.computed AND NOT c.is_key AND NOT c.by_identity) AS sets,
         coalesce(pg_catalog.string_agg(pg_catalog.format('x.%I %s %s', c.attname, c.sign, c.value), ' AND ') FILTER (WHERE c.is_key),
                  pg_catalog.format('(%2$s) - %1$L::text[] = e.row - %1$L::text[]', (SELECT names FROM passed_over), (SELECT of_x FROM whole))) AS match,
         pg_catalog.bool_or(c.is_key) AS has_key, coalesce(pg_catalog.array_agg(c.attname) FILTER (WHERE c.secret AND NOT c.kept), '{}') AS secret,
         coalesce('pg_catalog.jsonb_build_array(' || pg_catalog.string_agg('%1$s -> ' || pg_catalog.replace(pg_catalog.quote_literal(c.attname), '%', '%%'), ', ' ORDER BY c.attnum)
                    FILTER (WHERE c.is_key) || ')',
                  '%1$s - ' || pg_catalog.replace(pg_catalog.quote_literal((SELECT names FROM passed_over)::text), '%', '%%') || '::text[]') AS key_of,
         CASE WHEN pg_catalog.count(*) FILTER (WHERE c.is_key) > 1 THEN 'e.key #>> ''{}'''
              WHEN pg_catalog.bool_or(c.loses AND c.kept) FILTER (WHERE c.is_key) THEN 'pg_catalog.format(''%%s'', %s)'
              WHEN pg_catalog.bool_or(c.is_key) THEN
           'CASE WHEN e.row -> ' || pg_catalog.max(pg_catalog.replace(pg_catalog.quote_literal(c.attname), '%', '%%')) FILTER (WHERE c.is_key)
             || ' = e.key OR pg_catalog.jsonb_typeof(e.key) IN (''array'', ''number'') AND e.row ->> ' || pg_catalog.max(pg_catalog.replace(pg_catalog.quote_literal(c.attname), '%', '%%')) FILTER (WHERE c.is_key)
             || ' ~ ''^\[.*:.*\]=|(^|[{,])-0($|[},])'' THEN pg_catalog.format(''%%s'', %s) ELSE e.key #>> ''{}'' END'
         ELSE 'e.key #>> ''{}''' END AS named,
         pg_catalog.max(c.value) FILTER (WHERE c.is_key) AS key_value, pg_catalog.max(pg_catalog.format('x.%I', c.attname)) FILTER (WHERE c.is_key) AS key_now,
         pg_catalog.string_agg(c.attname, ', ') FILTER (WHERE NOT c.kept AND NOT c.computed AND (c.is_key OR c.wanted AND :action::text = 'deleted')) AS missing,
         pg_catalog.string_agg(c.attname, ', ') FILTER (WHERE NOT c.kept AND NOT c.computed AND c.secret AND (:action::text = 'deleted' OR coalesce(c.attname = ANY (:emptied::text[]), true))) AS secrets,
         pg_catalog.string_agg(c.attname, ', ') FILTER (WHERE NOT c.kept AND NOT c.computed AND NOT c.secret) AS added,
         pg_catalog.string_agg(c.attname, ', ') FILTER (WHERE c.kept AND NOT c.computed AND c.json) AS json,
         (SELECT pg_catalog.string_agg(u, ', ') FROM pg_catalog.unnest(:columns::text[]) AS u WHERE u NOT IN (SELECT o.attname FROM col o)) AS dropped
  FROM col c
),
text AS (
  SELECT
    'WITH entry AS MATERIALIZED (SELECT e.n, e.key, e.row, d.at, d.step, d.cmin::text::bigint AS command, d.table_name FROM pruned.deletions d'
    ' CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(coalesce(d.rows, :archived::jsonb -> pg_catalog.format(''%s%s'', d.tableoid, d.ctid) -> ''rows'')),'
    ' pg_catalog.jsonb_array_elements(coalesce(:archived::jsonb -> pg_catalog.format(''%s%s'', d.tableoid, d.ctid) -> ''keys'', d.keys))) WITH ORDINALITY AS e (row, key, n)'
    ' WHERE d.run_id = :run_id::uuid AND d.tableoid = :part::oid AND d.ctid = :place::tid AND e.n = ANY (:position::bigint[]))' AS entry,
    '(SELECT pg_catalog.string_agg(a.key, '', '' ORDER BY a.key) FROM pg_catalog.jsonb_each(%s) AS a JOIN pg_catalog.jsonb_each(%s) AS b USING (key)'
    ' WHERE a.value IS DISTINCT FROM b.value)' AS differs,
    '(SELECT coalesce(pg_catalog.jsonb_object_agg(o.key, o.value), ''{}'') FROM pg_catalog.jsonb_each(p.texts) AS o WHERE pg_catalog.jsonb_typeof(%s -> o.key) = ''string'')' AS as_recorded,
    ', (SELECT pg_catalog.set_config(''pruned.put'', coalesce(pg_catalog.jsonb_object_agg(w.n, w.was), ''{}'')::text, true) FROM (%s) AS w) IS NOT NULL AS noted' AS note
)
SELECT CASE WHEN r.rel IS NULL THEN 'the table no longer exists'
            WHEN p.missing IS NOT NULL THEN 'not in the record, and must not be null: ' || p.missing
            WHEN CASE :action::text WHEN 'deleted' THEN p.into_columns ELSE p.sets END IS NULL THEN 'no column of the record is left'
       END AS blocked,
       p.secrets IS NOT NULL AS incomplete, coalesce(p.has_key, false) AS keyed,
       pg_catalog.concat_ws('; ', 'restored without ' || p.secrets || ', which the record leaves out', 'column added since: ' || p.added,
                 'column dropped since: ' || p.dropped, 'written as jsonb writes it: ' || p.json) AS notes,
       CASE WHEN :action::text = 'deleted' THEN
         t.entry
         || pg_catalog.format(', looked AS MATERIALIZED (SELECT DISTINCT ON (e.n) e.n, %3$s AS named, %6$s AS row, %5$s AS now,'
                   ' :makes::boolean AND e.row ->> ''created_at'' ~ ''^\d{4}-\d\d-\d\d'' AND (e.row ->> ''created_at'')::timestamptz >='
                   ' (SELECT u.started_at FROM (SELECT run_id, started_at FROM pruned.runs UNION ALL'
                   ' SELECT run_id, started_at FROM pruned.runs_done) AS u WHERE u.run_id = :run_id::uuid LIMIT 1) AS made'
                   ' FROM entry e CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%4$s, e.row) AS r'
                   ' LEFT JOIN %1$s AS x ON %2$s ORDER BY e.n)', r.rel, p.match, pg_catalog.format(p.named, p.key_value), r.row_type, w.of_x, w.of_r)
         || pg_catalog.format(', put AS (INSERT INTO %1$s AS t (%2$s) OVERRIDING SYSTEM VALUE SELECT %3$s FROM looked l'
                   ' CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%5$s, l.row) AS r'
                   ' WHERE l.now IS NULL AND l.made IS NOT TRUE ORDER BY l.n'
                   ' RETURNING %6$s AS now, %7$s AS texts, %4$s AS xid)', r.rel, p.into_columns, p.from_columns, r.xid, r.row_type, w.of_t, w.texts)
         || ' SELECT DISTINCT ON (l.n) l.n, l.named AS key, l.row ->> :item_column::text AS item, p.xid, l.now IS NULL AND l.made IS NOT TRUE AND p.now IS NULL AS kept_out,'
            ' CASE WHEN l.now IS NOT NULL THEN ''exists again'' WHEN l.made THEN ''left out'''
            ' WHEN p.now IS NULL THEN ''cannot be'' ELSE ''restored'' END AS action,'
         || pg_catalog.format(' CASE WHEN l.now IS NOT NULL THEN ''different now: '' || %s WHEN l.made THEN ''the run made it itself'''
                   ' WHEN p.now IS NULL THEN ''a trigger or a rule kept it out'''
                   ' ELSE ''changed by a trigger or a rule: '' || %s END AS reason',
                   pg_catalog.format(t.differs, 'l.row', 'l.now'), pg_catalog.format(t.differs, 'l.row', 'p.now || ' || pg_catalog.format(t.as_recorded, 'l.row')))
         || CASE WHEN p.checked THEN pg_catalog.format(t.note, pg_catalog.format(
              'SELECT l.n, ''{}''::jsonb AS was FROM looked l JOIN put p ON %s = %s', pg_catalog.format(p.key_of, 'p.now'), pg_catalog.format(p.key_of, 'l.row'))) ELSE '' END
         -- A full join is always hashed or merged, even if the planner's estimate of the rows is
         -- wrong. A row of `put` without one of `looked` (a trigger changed its key) has no `n`.
         || pg_catalog.format(' FROM looked l FULL JOIN put p ON %s = %s ORDER BY l.n', pg_catalog.format(p.key_of, 'p.now'), pg_catalog.format(p.key_of, 'l.row'))
       ELSE
         -- `same`: the row is as this step left it, or the same step has removed it: nobody else
         -- can have written it in between.
         t.entry
         || ', gone AS MATERIALIZED (SELECT v.key FROM (SELECT DISTINCT at, step, command, table_name FROM entry) AS e JOIN pruned.deletions i ON i.run_id = :run_id::uuid'
            ' AND i.step = e.step AND i.at = e.at AND i.cmin::text::bigint > e.command AND i.table_name = e.table_name AND i.action = ''deleted'''
            ' CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(i.keys) AS v (key))'
         || pg_catalog.format(', found AS MATERIALIZED (SELECT e.n, %3$s AS named, %6$s AS row, x.tableoid AS part, x.ctid AS place, %5$s AS now,'
                   ' x.xmin::text = :xid::text OR e.key IN (SELECT g.key FROM gone g) AS same, x.xmin::text = :xid::text OR x.xmin::text = ANY (:own::text[]) AS ours FROM entry e'
                   ' CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%4$s, e.row) AS r JOIN %1$s AS x ON %2$s FOR UPDATE OF x)', r.rel, p.match, pg_catalog.format(p.named, p.key_now), r.row_type, w.of_x, w.of_r)
         || pg_catalog.format(', differing AS MATERIALIZED (SELECT f.*, %s AS differs FROM found f)', pg_catalog.format(t.differs, 'f.row', 'f.now'))
         -- A row that equals a later image of these runs was restored by an interrupted restore: it
         -- continues from there. A row that equals an earlier image is already restored further
         -- back. Images are read only if such rows are possible.
         || ', image AS MATERIALIZED (SELECT v.row, pg_catalog.bool_or(i.at > e.at OR (i.at = e.at AND i.cmin::text::bigint > e.command)) AS later'
            ' FROM (SELECT DISTINCT at, command, table_name FROM entry) AS e JOIN pruned.deletions i ON i.run_id = ANY (:runs::uuid[])'
            ' AND i.table_name = e.table_name AND NOT (i.tableoid = :part::oid AND i.ctid = :place::tid)'
            ' CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(i.rows) AS v (row)'
            ' WHERE (SELECT pg_catalog.bool_or(NOT f.ours AND f.differs IS NOT NULL) FROM differing f) GROUP BY v.row)'
         -- The next run that took the row, if that is none of these: what it found.
         || ', taken AS MATERIALIZED (SELECT DISTINCT ON (e.n) e.n, d.run_id, d.action, v.row FROM entry e LEFT JOIN differing f ON f.n = e.n'
            ' CROSS JOIN LATERAL (SELECT i.run_id, i.action, i.at, i.keys, i.rows FROM pruned.deletions i'
            ' WHERE i.keys || coalesce(pg_catalog.jsonb_path_query_array(i.rows, ''$[*].user_id''), ''[]'') @> pg_catalog.jsonb_build_array(e.key)'
            ' AND i.table_name = e.table_name AND i.at > e.at AND i.run_id <> ALL (:runs::uuid[]) OFFSET 0) AS d'
            ' CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) AS v (key, row)'
            ' WHERE v.key = e.key AND (f.n IS NULL OR NOT f.ours AND f.differs IS NOT NULL) ORDER BY e.n, d.at)'
         -- A row that is back as that run found it is as this one left it, if it differs only in
         -- what this one has changed. Of a row that a later step has removed, only that is put
         -- back: the application can have written it between the two.
         || pg_catalog.format(', seen AS MATERIALIZED (SELECT f.n, f.named, f.row, f.now, f.part, f.place, f.same,'
                   ' f.ours OR coalesce(i.later, false) OR coalesce(k.row - %1$L::text[] = f.now - %1$L::text[], false)'
                   ' AND NOT EXISTS (SELECT FROM pg_catalog.jsonb_each(f.row) AS a JOIN pg_catalog.jsonb_each(f.now) AS b USING (key)'
                   ' WHERE a.value IS DISTINCT FROM b.value AND a.key <> ALL (%2$L::text[]) AND (a.key <> ALL (%3$L::text[]) OR b.value <> ''null'')) AS ours,'
                   ' i.row IS NOT NULL AND NOT i.later AS back, k.row - %1$L::text[] = f.now - %1$L::text[] AS found_so'
                   ' FROM differing f LEFT JOIN image i ON i.row - %1$L::text[] = f.now - %1$L::text[] LEFT JOIN taken k ON k.n = f.n)',
                   p.secret, coalesce(:set::text[], '{}'), (SELECT names FROM loosened))
         -- Where none of the columns that the run can have changed is another one, a foreign key
         -- has emptied it that the table has no more: then all that are NULL now are put back.
         || pg_catalog.format(', judged AS MATERIALIZED (SELECT s.n, s.named, o.row, s.now, s.part, s.place, s.same, s.ours, s.back, s.found_so, %2$s AS differs'
                   ' FROM seen s CROSS JOIN LATERAL (SELECT CASE WHEN s.ours AND NOT s.same AND %1$L::text[] IS NOT NULL'
                   ' THEN (SELECT coalesce(pg_catalog.jsonb_object_agg(a.key, a.value), ''{}'') FROM pg_catalog.jsonb_each(s.row) AS a WHERE a.key = ANY (%1$L::text[])'
                   ' OR %3$L::boolean AND a.value <> ''null'' AND s.now -> a.key = ''null'' AND NOT EXISTS (SELECT FROM pg_catalog.jsonb_each(s.row) AS b WHERE b.key = ANY (%1$L::text[]) AND b.value IS DISTINCT FROM s.now -> b.key))'
                   ' ELSE s.row END AS row) AS o)', (SELECT names FROM changing), pg_catalog.format(t.differs, 'o.row', 's.now'), pg_catalog.cardinality(coalesce(:set::text[], '{}')) = 0)
         || pg_catalog.format(', put AS (UPDATE %1$s AS t SET %2$s FROM judged j CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%4$s, j.row) AS r'
                   ' WHERE t.tableoid = j.part AND t.ctid = j.place AND j.ours AND j.differs IS NOT NULL'
                   ' RETURNING j.n, j.row, %5$s AS now, %6$s AS texts, %3$s AS xid)', r.rel, p.sets, r.xid, r.row_type, w.of_t, w.texts)
         || ' SELECT e.n, coalesce(j.named, e.key #>> ''{}'') AS key, e.row ->> :item_column::text AS item, p.xid, coalesce(p.n IS NULL AND j.ours AND j.differs IS NOT NULL AND NOT j.back, false) AS kept_out,'
            ' CASE WHEN p.n IS NOT NULL THEN ''restored'' WHEN j.n IS NULL THEN ''waits'' WHEN j.differs IS NULL OR j.back THEN ''exists again'''
            ' ELSE ''cannot be'' END AS action,'
            ' CASE WHEN p.n IS NOT NULL THEN ''put back: '' || j.differs || coalesce(''; changed by a trigger or a rule: '' || '
         || pg_catalog.format(t.differs, 'p.row', 'p.now || ' || pg_catalog.format(t.as_recorded, 'p.row'))
         || ', '''') WHEN j.n IS NULL THEN ''the row is gone'' || CASE WHEN k.action = ''deleted'' THEN '': run '' || k.run_id || '' has removed it since; restore that run first'' ELSE '''' END'
            ' WHEN j.differs IS NULL OR j.back THEN NULL'
            ' WHEN NOT j.ours AND k.n IS NULL THEN ''changed since by somebody else: '' || j.differs'
            ' WHEN NOT j.ours AND j.found_so THEN ''changed since, or by this run: it is as run '' || k.run_id || '' found it, and which of these this run has changed is not known: '' || j.differs'
            ' WHEN NOT j.ours THEN ''changed since, first by run '' || k.run_id || '' (restore that run first, if you have not): '' || j.differs'
            ' ELSE ''a trigger or a rule kept it as it is: '' || j.differs END AS reason'
         || CASE WHEN p.checked THEN pg_catalog.format(t.note,
              'SELECT j.n, (SELECT pg_catalog.jsonb_object_agg(a.key, a.value) FROM pg_catalog.jsonb_each(j.now) AS a'
              ' JOIN pg_catalog.jsonb_each(j.row) AS b USING (key) WHERE a.value IS DISTINCT FROM b.value) AS was FROM judged j JOIN put p ON p.n = j.n') ELSE '' END
         || ' FROM entry e FULL JOIN judged j ON j.n = e.n FULL JOIN put p ON p.n = e.n LEFT JOIN taken k ON k.n = e.n ORDER BY e.n'
       END AS sql,
       -- A column that has its former value again was kept; one with a third value (`updated_at`)
       -- was only changed by a trigger.
       CASE WHEN p.checked THEN
         t.entry
         || pg_catalog.format(', found AS (SELECT e.n, e.row, p.value AS was, %4$s AS now'
                   ' FROM pg_catalog.jsonb_each(pg_catalog.current_setting(''pruned.put'')::jsonb) AS p JOIN entry e ON e.n = p.key::bigint'
                   ' CROSS JOIN LATERAL pg_catalog.jsonb_populate_record(NULL::%2$s, e.row) AS r LEFT JOIN %1$s AS x ON %3$s)', r.rel, r.row_type, p.match, w.of_x)
         || ' SELECT f.n, CASE WHEN f.now IS NULL THEN ''a trigger or a rule removed it again'''
            ' ELSE ''a trigger or a rule kept it as it is: '' || k.kept END AS reason'
            ' FROM found f CROSS JOIN LATERAL (SELECT pg_catalog.string_agg(a.key, '', '' ORDER BY a.key) AS kept FROM pg_catalog.jsonb_each(f.was) AS a'
            ' JOIN pg_catalog.jsonb_each(f.now) AS b USING (key) JOIN pg_catalog.jsonb_each(f.row) AS c USING (key)'
            ' WHERE a.value = b.value AND b.value <> c.value) AS k'
            ' WHERE f.now IS NULL OR k.kept IS NOT NULL ORDER BY f.n LIMIT 1'
       END AS check
FROM relation r, (SELECT p.*, p.has_key AND (SELECT watched FROM relation) AS checked FROM piece p) AS p, text t, whole w
