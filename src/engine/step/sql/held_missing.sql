-- The text of a query for the rows that are held and are not there (`item`: as a command takes it;
-- `kind`: hold, restored). `:after`: only of tables in which this transaction has deleted or
-- updated rows, or that it has written anew (TRUNCATE, DROP); a row that it has written is not
-- there, either. Of a table that this role may not read, or whose rows it cannot see, all that are
-- held once rows of it were deleted or updated. A key that is none of its column's type is of no
-- row. Rows of tables that do not exist are missing. No row: nothing is to be asked. Names are
-- quoted by format. Reads the catalogue, the counts of this session, and from holds the first row
-- of each table. The query searches each row by its primary key (OFFSET 0).
-- `:tables`: only tables that a job on these can reach: by foreign keys, or any, where one of these
-- has a trigger; null: all.
-- `:lost`: of `pruned hold` only, of tables that are there and can be read, and without triggers;
-- with `tab` and `hold_id`. A row that went with a partition, or stands in a copy, is held there:
-- in a table with the same columns.
-- `:known`: what goes by statements and foreign keys has been compared with the holds by the text
-- of its key. Then a table is left out whose keys are equal only if their texts are, unless a
-- trigger or a rule has seen a row of this transaction: no more is read than a step has changed.
WITH RECURSIVE
-- include: ../../../pg/sql/keys_touched.sql
,
-- include: stirred.sql
,
name (tab) AS (
  (SELECT h.tab FROM pruned.holds h ORDER BY h.tab LIMIT 1)
  UNION ALL
  SELECT (SELECT h.tab FROM pruned.holds h WHERE h.tab > n.tab ORDER BY h.tab LIMIT 1) FROM name n WHERE n.tab IS NOT NULL
),
tab AS MATERIALIZED (
  SELECT n.tab,
-- include: relation_named.sql
         AS rel
  FROM name n WHERE n.tab IS NOT NULL
),
tree (tab, rel) AS (
  SELECT t.tab, t.rel FROM tab t
  UNION
  SELECT t.tab, i.inhrelid FROM tree t JOIN pg_catalog.pg_inherits i ON i.inhparent = t.rel
),
aside (yes) AS (
  SELECT NOT pg_catalog.current_setting('track_counts')::boolean
         OR EXISTS (SELECT FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
                    WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' AND c.relnamespace <> 'pruned'::regnamespace
                      AND (g.tgtype & 8 <> 0 AND pg_catalog.pg_stat_get_xact_tuples_deleted(g.tgrelid) > 0
                           OR g.tgtype & 16 <> 0 AND pg_catalog.pg_stat_get_xact_tuples_updated(g.tgrelid) > 0
                           OR g.tgtype & 4 <> 0 AND pg_catalog.pg_stat_get_xact_tuples_inserted(g.tgrelid) > 0
                           OR g.tgtype & 32 <> 0 AND pg_catalog.age(c.xmin) <= 0))
         OR EXISTS (SELECT FROM pg_catalog.pg_rewrite w WHERE w.ev_type <> '1' AND w.ev_class >= 16384)
  WHERE :known::boolean
),
written AS (
  SELECT t.tab, coalesce(pg_catalog.bool_or(pg_catalog.pg_stat_get_xact_tuples_deleted(t.rel) > 0 OR pg_catalog.pg_stat_get_xact_tuples_updated(t.rel) > 0 OR pg_catalog.age(c.xmin) <= 0 OR c.relkind NOT IN ('r', 'p')
                                            OR NOT pg_catalog.current_setting('track_counts')::boolean), false) AS yes
  FROM tree t LEFT JOIN pg_catalog.pg_class c ON c.oid = t.rel GROUP BY t.tab
),
col AS (
  SELECT t.tab, t.rel, pg_catalog.has_table_privilege(t.rel, 'SELECT') AND NOT pg_catalog.row_security_active(t.rel) AS seen,
         NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhrelid = t.rel) AND
         pg_catalog.bool_and(a.atttypid IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype, 'uuid'::regtype)
                             OR a.atttypid IN ('text'::regtype, 'varchar'::regtype) AND EXISTS (SELECT FROM pg_collation o WHERE o.oid = a.attcollation AND o.collisdeterministic)) AS plain,
         pg_catalog.string_agg(pg_catalog.format('k.k%s IS NOT NULL', k.n), ' AND ' ORDER BY k.n) AS known,
         pg_catalog.string_agg(pg_catalog.format('t.%I %s k.k%s', a.attname,
-- include: ../../../pg/sql/key_operator.sql
                               , k.n), ' AND ' ORDER BY k.n) AS same,
         pg_catalog.string_agg(pg_catalog.format(
-- include: quarantine_key.sql
                               , a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), k.n), ', ' ORDER BY k.n) AS key
  FROM tab t
  JOIN pg_index i ON i.indrelid = t.rel AND i.indisprimary
  CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  WHERE k.n <= i.indnkeyatts
  GROUP BY t.tab, t.rel
),
shape AS MATERIALIZED (
  SELECT t.tab, (SELECT pg_catalog.array_agg(a.attname ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = t.rel AND a.attnum > 0 AND NOT a.attisdropped) AS cols
  FROM tab t WHERE :lost::boolean
),
part AS (
  SELECT t.tab, pg_catalog.format('SELECT pg_catalog.concat(%L, h.key) AS item, h.kind, h.key COLLATE pg_catalog."default" AS key, h.tab, h.hold_id FROM pruned.holds h'
                                  ' WHERE h.tab = %L AND (h.until IS NULL OR h.until > now())%s OFFSET 0',
                                  coalesce(t.rel::regclass::text, t.tab) || ':', t.tab,
                                  CASE WHEN :lost::boolean THEN pg_catalog.format(' AND h.kind = ''hold'' AND NOT EXISTS (SELECT FROM pruned.holds o WHERE o.key = h.key AND o.hold_id = h.hold_id AND o.tab = ANY (%L::text[]))',
                                    ARRAY(SELECT o.tab FROM shape s JOIN shape o ON o.tab <> s.tab AND o.cols OPERATOR(pg_catalog.=) s.cols WHERE s.tab = t.tab)) END) AS items,
         t.rel IS NULL AS away, u.yes AND NOT (coalesce(c.plain, false) AND :known::boolean AND NOT coalesce((SELECT s.yes FROM aside s), true)) AS yes, c.seen, c.key, c.known, c.rel, c.same
  FROM tab t JOIN written u ON u.tab = t.tab LEFT JOIN col c ON c.tab = t.tab
)
SELECT pg_catalog.string_agg(CASE WHEN p.away OR NOT p.seen THEN pg_catalog.format('SELECT u.item, u.kind, u.tab, u.hold_id FROM (%s) AS u', p.items)
                                  ELSE pg_catalog.format('SELECT u.item, u.kind, u.tab, u.hold_id FROM (%s) AS u CROSS JOIN LATERAL (SELECT %s) AS k WHERE %s AND NOT EXISTS (SELECT FROM %s t WHERE %s%s OFFSET 0)',
                                                         p.items, p.key, p.known, p.rel::regclass, p.same, CASE WHEN :after::boolean THEN
-- Written by a transaction that has not ended, and is not older than this one: by this one.
                                                         ' AND CASE WHEN pg_catalog.age(t.xmin) <= pg_catalog.age(pg_catalog.pg_current_xact_id()::xid) THEN pg_catalog.pg_xact_status('
                                                         '(pg_catalog.pg_current_xact_id()::text::bigint + pg_catalog.age(pg_catalog.pg_current_xact_id()::xid)'
                                                         ' - pg_catalog.age(t.xmin))::text::xid8) <> ''in progress'' ELSE true END' END) END, ' UNION ALL ' ORDER BY p.tab) AS sql
FROM part p
WHERE CASE WHEN :lost::boolean THEN p.seen ELSE p.away OR p.seen AND (NOT :after::boolean OR p.yes) OR NOT p.seen AND p.yes END
  AND (p.away OR :tables::text[] IS NULL OR NOT :lost::boolean AND (SELECT s.yes FROM stirred s)
       OR EXISTS (SELECT FROM tree x JOIN touched d ON d.rel = x.rel WHERE x.tab = p.tab))
HAVING pg_catalog.count(*) > 0
