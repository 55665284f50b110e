-- A row as `holds` has it, from its table, as SQL writes it, and its key as JSON: one column as
-- text, several as the JSON that PostgreSQL writes. Of the one column of a primary key, whose text
-- is not JSON's where it is an array or a row, `sql` is the text of a query that reads `:key` as
-- that column; null: it has several columns, or there is no key. `literal`: the same of the text of
-- an array or a row as PostgreSQL writes it, which can have more than JSON: bounds.
SELECT k.tab, CASE WHEN k.kind = 'object' THEN :key::jsonb::text ELSE :key::jsonb #>> '{}' END AS key,
       CASE WHEN c.type IS NOT NULL THEN pg_catalog.format('SELECT CASE WHEN r.k IS DISTINCT FROM NULL THEN pg_catalog.format(''%%s'', r.k) ELSE :key::jsonb::text END AS key'
                         ' FROM pg_catalog.jsonb_to_record(pg_catalog.jsonb_build_object(''k'', :key::jsonb)) AS r (k %s)', c.type) END AS sql,
       CASE WHEN c.type IS NOT NULL AND k.kind IN ('array', 'object') THEN pg_catalog.format('SELECT pg_catalog.format(''%%s'', :key::%s) AS key', c.type) END AS literal
FROM (SELECT pruned.held_table(:tab::text) AS tab, pg_catalog.jsonb_typeof(:key::jsonb) AS kind) AS k
LEFT JOIN LATERAL (
  SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) AS type
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
  WHERE i.indrelid = pg_catalog.to_regclass(k.tab) AND i.indisprimary AND i.indnkeyatts = 1) AS c ON true
