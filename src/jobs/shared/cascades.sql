-- For rows of the table `:relation` to be deleted (`:condition`, on alias x<depth>):
-- `hold` locks those to which nothing refers, so that no row can be inserted below them, and counts
-- them. `remove` deletes those to which nothing refers after the lock. `probe` finds tables with
-- rows that a foreign key would delete (ON DELETE CASCADE), each again as a relation and a
-- condition, on alias x<depth + 1>. `changes` finds tables with rows that a key would change (SET
-- NULL, SET DEFAULT), each with the statement that does it. `counts` counts the rows of both kinds,
-- without those of the keys in `:except` (as `table.column`; null: none). Null where no key does
-- so; `hold` is null without the right to lock.
-- So children are handled first, and the audit records every row. Where the role has no right a row
-- goes by its key, without a record: `unseen` names such tables, one a line. Names come from the
-- catalogue and are quoted by format. Fast because only the catalogue is read.
WITH key AS MATERIALIZED (
  SELECT f.conrelid, f.confrelid, f.confdeltype = 'c' AS takes, c.*,
         pg_catalog.has_table_privilege(f.conrelid, 'SELECT')
           AND pg_catalog.has_table_privilege(f.conrelid, CASE f.confdeltype WHEN 'c' THEN 'DELETE' ELSE 'UPDATE' END) AS may
  FROM pg_constraint f, LATERAL (
    SELECT pg_catalog.string_agg(pg_catalog.format('x%s.%I', :depth::int + 1, a.attname), ', ' ORDER BY k.n) AS child,
           pg_catalog.string_agg(pg_catalog.format('x%s.%I', :depth::int, b.attname), ', ' ORDER BY k.n) AS parent,
           pg_catalog.string_agg(a.attname, ', ' ORDER BY k.n) AS columns,
           pg_catalog.string_agg(pg_catalog.format('%I = %s', a.attname, CASE f.confdeltype WHEN 'd' THEN 'DEFAULT' ELSE 'NULL' END), ', ' ORDER BY k.n)
             FILTER (WHERE pg_catalog.jsonb_typeof(s.picked) IS DISTINCT FROM 'array' OR s.picked @> pg_catalog.to_jsonb(a.attnum)) AS changed
    FROM (SELECT pg_catalog.to_jsonb(f.*) -> 'confdelsetcols' AS picked) AS s,
         unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (child, parent, n)
    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.child
    JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.parent) AS c
  WHERE f.confrelid = pg_catalog.to_regclass(:relation::text) AND f.contype = 'f' AND f.confdeltype IN ('c', 'n', 'd') AND f.conparentid = 0
),
found AS (SELECT pg_catalog.to_regclass(:relation::text)::oid AS attrelid UNION SELECT conrelid FROM key WHERE NOT takes),
-- include: row_keys.sql
,
child AS (
  SELECT h.*, h.conrelid::regclass AS relation,
         pg_catalog.format('(%s) IN (SELECT %s FROM %s x%s WHERE %s)', h.child, h.parent, h.confrelid::regclass, :depth::int, :condition::text)
           AS condition,
         -- CASE keeps it a look-up for each row.
         pg_catalog.format(' AND CASE WHEN EXISTS (SELECT FROM %s x%s WHERE (%s) = (%s)%s) THEN false ELSE true END', h.conrelid::regclass, :depth::int + 1,
                h.child, h.parent, CASE WHEN h.conrelid = h.confrelid
                                        THEN pg_catalog.format(' AND (x%1$s.ctid, x%1$s.tableoid) <> (x%2$s.ctid, x%2$s.tableoid)',
                                                    :depth::int + 1, :depth::int) ELSE '' END) AS leaf
  FROM key h
),
change AS (
  SELECT h.relation, h.condition, pg_catalog.replace(h.relation::text, '''', '''''') AS table_name,
         pg_catalog.format('WITH d AS MATERIALIZED (SELECT x%1$s.ctid AS at, x%1$s.tableoid AS part, pg_catalog.to_jsonb(x%1$s.*) AS was FROM %2$s x%1$s WHERE %3$s'
                ' LIMIT :limit::int) UPDATE %2$s t SET %4$s FROM d WHERE t.ctid = d.at AND t.tableoid = d.part'
                ' RETURNING %5$s AS key, d.was AS row', :depth::int + 1, h.relation, h.condition, h.changed,
                CASE k.audit WHEN 'pg_catalog.to_jsonb(t.*)' THEN 'd.was' ELSE k.audit END) AS sql
  FROM child h JOIN row_key k ON k.relid = h.conrelid
  WHERE NOT h.takes AND h.may
),
-- The ctid alone does not identify a row in a partitioned table.
doomed AS (
  SELECT c.oid, pg_catalog.format('pruned.swept_%s', :depth::int) AS setting,
         pg_catalog.format(CASE c.relkind WHEN 'p' THEN 'x%1$s.tableoid || x%1$s.ctid::text' ELSE 'x%1$s.ctid' END, :depth::int) AS place,
         CASE c.relkind WHEN 'p' THEN 'text[]' ELSE 'tid[]' END AS places,
         pg_catalog.format('(%s)%s', :condition::text, (SELECT pg_catalog.string_agg(h.leaf, '') FROM child h WHERE h.takes AND h.may)) AS free,
         pg_catalog.has_table_privilege(c.oid, 'UPDATE') AS held
  FROM pg_class c WHERE c.oid = pg_catalog.to_regclass(:relation::text)
)
SELECT pg_catalog.replace(d.oid::regclass::text, '''', '''''') AS table_name,
       CASE WHEN d.held THEN
         pg_catalog.format('WITH d AS MATERIALIZED (SELECT %2$s AS place FROM %3$s x%1$s WHERE %4$s LIMIT :limit::int FOR UPDATE)'
                ' SELECT (SELECT count(*) FROM d) AS held, pg_catalog.set_config(%5$L, ARRAY(SELECT place FROM d)::text, true) AS places',
                :depth::int, d.place, d.oid::regclass, d.free, d.setting) END AS hold,
       pg_catalog.format('DELETE FROM %2$s t USING (SELECT x%1$s.ctid, x%1$s.tableoid FROM %2$s x%1$s WHERE %3$s%4$s LIMIT :limit::int) AS x'
              ' WHERE t.ctid = x.ctid AND t.tableoid = x.tableoid RETURNING %5$s AS key, pg_catalog.to_jsonb(t.*) AS row',
              :depth::int, d.oid::regclass, d.free,
              CASE WHEN d.held THEN pg_catalog.format(' AND %s = ANY (pg_catalog.current_setting(%L)::%s)', d.place, d.setting, d.places) ELSE '' END, k.audit) AS remove,
       (SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS relation, %L AS condition WHERE EXISTS (SELECT FROM %s x%s WHERE %s)',
                                 h.relation, h.condition, h.relation, :depth::int + 1, h.condition), ' UNION ALL ')
        FROM child h WHERE h.takes AND h.may) AS probe,
       (SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS table_name, %L AS sql WHERE EXISTS (SELECT FROM %s x%s WHERE %s)',
                                 h.table_name, h.sql, h.relation, :depth::int + 1, h.condition), ' UNION ALL ')
        FROM change h) AS changes,
       (SELECT pg_catalog.string_agg(pg_catalog.format('SELECT %L AS table_name, %L AS relation, %L AS condition, %L::boolean AS takes,'
                                 ' (SELECT count(*) FROM %s x%s WHERE %s) AS n',
                                 pg_catalog.replace(h.relation::text, '''', ''''''), h.relation, h.condition, h.takes, h.relation, :depth::int + 1, h.condition),
                                 ' UNION ALL ')
        FROM child h JOIN pg_class c ON c.oid = h.conrelid
        WHERE h.may AND (pg_catalog.concat(c.relname, '.', h.columns) = ANY (:except::text[])) IS NOT TRUE) AS counts,
       (SELECT pg_catalog.string_agg(DISTINCT h.relation::text, E'\n') FROM child h WHERE NOT h.may) AS unseen
FROM doomed d JOIN row_key k ON k.relid = d.oid
