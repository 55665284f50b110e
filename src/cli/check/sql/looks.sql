-- Columns that look like the primary key of a job's table and are part of no foreign key, by table:
-- their name is that of the table in the singular with _id, or that of the key if it ends so, and
-- their type is the key's. `:name`: empty for the job's own table, else a table that the job names
-- itself. `bare`: the table's name. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
,
own AS (
  SELECT l.job, c.oid, a.atttypid, n.name
  FROM located l
  JOIN pg_class c ON c.oid = l.rel
  JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary AND i.indnkeyatts = 1
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
  CROSS JOIN LATERAL (
    SELECT pg_catalog.regexp_replace(c.relname::text, s.many, s.one) || '_id'
    FROM (VALUES ('$', ''), ('s$', ''), ('ies$', 'y'), ('(s|x|z|ch|sh)es$', '\1')) AS s (many, one)
    UNION SELECT a.attname::text WHERE a.attname::text ~ '._id$') AS n (name)
  WHERE l.name = '')
SELECT DISTINCT o.job, c.oid::regclass::text AS table, c.relname AS bare, pg_catalog.quote_ident(a.attname) AS column
FROM own o
JOIN pg_attribute a ON a.attname = o.name AND a.atttypid = o.atttypid AND a.attnum > 0 AND NOT a.attisdropped AND a.attrelid <> o.oid
JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') AND NOT c.relispartition
JOIN pg_namespace s ON s.oid = c.relnamespace AND s.nspname NOT IN ('pg_catalog', 'information_schema', 'pruned') AND s.nspname::text !~ '^pg_'
WHERE NOT EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey))
  AND NOT EXISTS (SELECT FROM located l WHERE l.job = o.job AND l.rel = c.oid AND l.name <> '')
ORDER BY 1, 2, 4
