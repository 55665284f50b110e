-- Columns that name what stays when their row goes, by table: large objects, and files or objects
-- of a store. `:name`: the privileges of the job, and `object COLUMN`, whose object goes first.
-- A column names large objects if its type is `lo` (extension lo), or oid where the database has
-- any; not if the trigger lo_manage() removes them. Of a text only the name tells: it is one of the
-- list below, in the order of how much it says. Reads the catalogue only.
WITH
-- include: ../../sql/located.sql
,
named AS (
  SELECT u.name, u.place FROM pg_catalog.unnest(ARRAY[
    's3_key', 'object_key', 'object_name', 'storage_key', 'storage_path', 'blob_key', 'file_key', 's3_path', 'file_store_key'
  ]) WITH ORDINALITY AS u (name, place)),
gone AS (
  SELECT DISTINCT l.job, c.oid, c.relname, a.attname, a.atttypid
  FROM located l
  JOIN pg_class c ON c.oid = l.rel AND c.relkind IN ('r', 'p')
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE l.name = 'DELETE'
    AND NOT EXISTS (SELECT FROM located o WHERE o.job = l.job AND o.rel = l.rel AND o.name = 'object ' || a.attname::text))
SELECT g.job, g.attname AS name, 'file' AS kind, n.place,
       pg_catalog.format('%s of %s looks like the key of a file: when the row goes, the file stays', g.attname, g.relname) AS detail,
       pg_catalog.format('object = s3:BUCKET column %I  # if it is the key of an object in S3', g.attname) AS remedy
FROM gone g JOIN named n ON n.name = g.attname
WHERE g.atttypid IN ('text'::regtype, 'varchar'::regtype)
UNION ALL
SELECT g.job, g.attname, 'large object', 0,
       pg_catalog.format('%s of %s looks like the number of a large object: when the row goes, that stays', g.attname, g.relname),
       pg_catalog.format('vacuumlo %s  # regularly: it removes large objects that no row names', pg_catalog.current_database())
FROM gone g JOIN pg_type t ON t.oid = g.atttypid
WHERE (t.typtype = 'd' AND t.typname = 'lo' AND t.typbasetype = 'oid'::regtype OR t.oid = 'oid'::regtype AND EXISTS (SELECT FROM pg_largeobject_metadata))
  AND NOT EXISTS (
    SELECT FROM pg_trigger r JOIN pg_proc p ON p.oid = r.tgfoid
    WHERE r.tgrelid = g.oid AND r.tgenabled IN ('O', 'A') AND r.tgtype & 8 = 8 AND p.prosrc = 'lo_manage'
      AND pg_catalog.encode(r.tgargs, 'escape') = g.attname::text || '\000')
ORDER BY 4, 2
