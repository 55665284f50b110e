-- For rows of the table `:relation` that are to go (`:condition`, on alias x<depth>): the statement that deletes them, and the
-- one that finds which tables have rows that a foreign key would take along (ON DELETE CASCADE), each again as a relation and a
-- condition, on alias x<depth + 1>; null if no key does. So children can be deleted first, and the audit sees every row.
-- Where the role has no right the rows go by their key, without a record: `unseen` names such tables, one a line.
-- Names come from the catalogue and are quoted by format. Fast because only the catalogue is read.
WITH found AS (SELECT to_regclass(:relation::text)::oid AS attrelid),
-- include: row_keys.sql
,
child AS (
  SELECT f.conrelid::regclass AS relation,
         format('(%s) IN (SELECT %s FROM %s x%s WHERE %s)', c.child, c.parent, f.confrelid::regclass, :depth::int,
                :condition::text) AS condition,
         has_table_privilege(f.conrelid, 'SELECT') AND has_table_privilege(f.conrelid, 'DELETE') AS may
  FROM found
  JOIN pg_constraint f ON f.confrelid = found.attrelid AND f.contype = 'f' AND f.confdeltype = 'c' AND f.conparentid = 0
  CROSS JOIN LATERAL (
    SELECT string_agg(format('x%s.%I', :depth::int + 1, a.attname), ', ' ORDER BY k.n) AS child,
           string_agg(format('x%s.%I', :depth::int, b.attname), ', ' ORDER BY k.n) AS parent
    FROM unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (child, parent, n)
    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.child
    JOIN pg_attribute b ON b.attrelid = f.confrelid AND b.attnum = k.parent) AS c
)
SELECT replace(c.oid::regclass::text, '''', '''''') AS table_name,
       format('DELETE FROM %s t USING (SELECT x%s.ctid, x%s.tableoid FROM %s x%s WHERE %s LIMIT :limit::int) AS x'
              ' WHERE t.ctid = x.ctid AND t.tableoid = x.tableoid RETURNING %s AS key, to_jsonb(t.*) AS row',
              c.oid::regclass, :depth::int, :depth::int, c.oid::regclass, :depth::int, :condition::text, k.audit) AS remove,
       (SELECT string_agg(format('SELECT %L AS relation, %L AS condition WHERE EXISTS (SELECT FROM %s x%s WHERE %s)',
                                 h.relation, h.condition, h.relation, :depth::int + 1, h.condition), ' UNION ALL ')
        FROM child h WHERE h.may) AS probe,
       (SELECT string_agg(DISTINCT h.relation::text, E'\n') FROM child h WHERE NOT h.may) AS unseen
FROM pg_class c JOIN row_key k ON k.relid = c.oid
