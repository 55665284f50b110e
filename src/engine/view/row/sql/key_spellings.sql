-- The text of a query for the keys that the audit has of the table `:whose`, or of rows that name
-- one of its rows by a foreign key of one column, and that the operator of the key's index finds
-- equal to `:key` (JSON): of a type like citext, or numeric, or of a collation that is not
-- deterministic, one key can be written in several ways. No row: it cannot, because equal values
-- are the same bytes, or its values stand in JSON otherwise than as a text or a number. Names come
-- from the catalogue and are quoted here. Reads the catalogue only; the query reads the records of
-- these tables.
WITH
-- include: spelled.sql
,
col AS (
  SELECT i.indrelid AS rel, i.indnkeyatts AS keys, k.n, a.attname, a.attnum, t.typcategory NOT IN ('A', 'C') AND b.oid NOT IN ('json'::regtype, 'jsonb'::regtype)
           AND (i.indnkeyatts > 1 OR NOT EXISTS (SELECT FROM pg_cast j WHERE j.castsource = b.oid AND j.casttarget = 'json'::regtype)) AS plain,
         pg_catalog.format_type(a.atttypid, -1) || CASE WHEN a.attcollation <> 0 THEN ' COLLATE ' || a.attcollation::regcollation::text ELSE '' END AS type,
         EXISTS (SELECT FROM pg_catalog.pg_opclass oc JOIN pg_catalog.pg_amproc p ON p.amprocfamily = oc.opcfamily AND p.amproclefttype = oc.opcintype
                   AND p.amprocrighttype = oc.opcintype AND p.amprocnum = 4
                 WHERE oc.oid = (i.indclass::oid[])[k.n - 1])
         AND coalesce((SELECT l.collisdeterministic FROM pg_catalog.pg_collation l WHERE l.oid = (i.indcollation::oid[])[k.n - 1]), true) AS bytes,
-- include: ../../../../pg/sql/key_operator.sql
         AS same
  FROM pg_index i CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::smallint[]) WITH ORDINALITY AS k (attnum, n)
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
  JOIN pg_type t ON t.oid = a.atttypid JOIN pg_type b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
  WHERE i.indrelid = pg_catalog.to_regclass(:whose::text) AND i.indisprimary AND k.n <= i.indnkeyatts
),
own AS (
  SELECT pg_catalog.format('SELECT k.key FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.keys) AS k (key)'
                           ' WHERE d.table_name = ANY (%L::text[]) AND CASE WHEN pg_catalog.jsonb_typeof(k.key) %s THEN %s END', ARRAY(SELECT n.tab FROM names n)::text,
                           CASE WHEN pg_catalog.max(c.keys) = 1 THEN 'IN (''string'', ''number'')' ELSE '= ''object''' END,
                           pg_catalog.string_agg(CASE WHEN c.keys = 1 THEN pg_catalog.format('(k.key #>> ''{}'')::%1$s %2$s (:key::jsonb #>> ''{}'')::%1$s', c.type, c.same)
                                                      ELSE pg_catalog.format('(k.key ->> %3$L)::%1$s %2$s (:key::jsonb ->> %3$L)::%1$s', c.type, c.same, c.attname) END, ' AND ' ORDER BY c.n)) AS sql
  FROM col c HAVING NOT pg_catalog.bool_and(c.bytes) AND pg_catalog.bool_and(c.plain)
),
naming AS (
  SELECT pg_catalog.format('SELECT r.row -> %1$L FROM pruned.deletions d CROSS JOIN LATERAL pg_catalog.jsonb_array_elements(d.rows) AS r (row)'
                           ' WHERE d.table_name = ANY (%2$L::text[]) AND CASE WHEN pg_catalog.jsonb_typeof(r.row -> %1$L) IN (''string'', ''number'')'
                           ' THEN (r.row ->> %1$L)::%3$s %4$s (:key::jsonb #>> ''{}'')::%3$s END', a.attname,
                           ARRAY(SELECT f.conrelid::regclass::text UNION SELECT s.tab FROM spelled s WHERE s.rel = f.conrelid)::text, c.type, c.same) AS sql
  FROM own, col c
  JOIN pg_constraint f ON f.contype = 'f' AND f.confrelid = c.rel AND f.conparentid = 0 AND pg_catalog.cardinality(f.confkey) = 1 AND f.confkey[1] = c.attnum
  JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
  WHERE c.keys = 1
)
SELECT 'SELECT DISTINCT s.key FROM (' || pg_catalog.string_agg(s.sql, ' UNION ALL ') || ') AS s (key) ORDER BY s.key' AS sql
FROM (SELECT o.sql FROM own o UNION ALL SELECT n.sql FROM naming n) AS s
HAVING pg_catalog.count(*) > 0
