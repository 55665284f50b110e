-- The text of a statement that deletes those entries of a job about the table `:tab` whose rows no longer exist. No row: the table does not -- exist, the role may not read it, or its key has several columns. Names are quoted by format. Fast because only the catalogue is read.
SELECT pg_catalog.format('DELETE FROM pruned.quarantine q USING pg_catalog.unnest(:key::text[]) AS k (key) WHERE q.job = :job::text AND q.item = %L || k.key'
              ' AND CASE WHEN %s THEN NOT EXISTS (SELECT FROM %s t WHERE t.%I OPERATOR(pg_catalog.=) k.key::%s) ELSE false END'
              ' AND NOT (q.parked AND q.reason = ''restored'' AND q.first_at > now() - interval ''1 hour'')',
              :tab::text || ':', CASE c.type WHEN 'text' THEN 'true' WHEN 'uuid' THEN 'k.key ~ ''^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$''' ELSE 'k.key ~ ''^-?[0-9]{1,18}$''' END, c.relation, c.name, c.type) AS sql
FROM (
  SELECT i.indrelid::regclass AS relation, a.attname AS name,
         CASE WHEN a.atttypid IN ('text'::regtype, 'varchar'::regtype) THEN 'text' WHEN a.atttypid = 'uuid'::regtype THEN 'uuid' ELSE 'int8' END AS type
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
  WHERE i.indrelid = coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.format('%I', :tab::text))) AND i.indisprimary AND i.indnkeyatts = 1
    AND pg_catalog.has_table_privilege(i.indrelid, 'SELECT')
    AND a.atttypid IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype, 'text'::regtype, 'varchar'::regtype, 'uuid'::regtype)) AS c
