-- What steps of this transaction have removed or changed, as the audit has it, in the order of the
-- statements: a record a row, and its keys. Those of one column whose type is written otherwise as
-- JSON, and those of several columns, become texts. A table without a primary key has whole rows
-- for keys: it is left out. Uses the index on (run_id, step), in one partition.
SELECT s.pos, d.table_name, d.action,
       CASE WHEN k.type IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype, 'uuid'::regtype, 'text'::regtype, 'varchar'::regtype)
              AND pg_catalog.jsonb_typeof(d.keys -> 0) <> 'object' THEN d.keys
            ELSE (SELECT pg_catalog.jsonb_agg(CASE
                    WHEN pg_catalog.jsonb_typeof(e.key) = 'object' THEN e.key #>> '{}'
                    WHEN k.type = 'timestamptz'::regtype THEN pg_catalog.format('%s', (e.key #>> '{}')::timestamptz)
                    WHEN k.type = 'timestamp'::regtype THEN pg_catalog.format('%s', (e.key #>> '{}')::timestamp)
                    WHEN k.type = 'bool'::regtype THEN pg_catalog.format('%s', (e.key #>> '{}')::boolean)
                    ELSE e.key #>> '{}' END ORDER BY e.n)
                  FROM pg_catalog.jsonb_array_elements(d.keys) WITH ORDINALITY AS e (key, n)) END AS keys
FROM unnest(:run_id::uuid[], :step::int[]) WITH ORDINALITY AS s (run_id, step, pos)
JOIN pruned.deletions d ON d.run_id = s.run_id AND d.step = s.step AND d.at = now()
JOIN LATERAL (
  SELECT CASE i.indnkeyatts WHEN 1 THEN a.atttypid END AS type
  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
  WHERE i.indisprimary
    AND i.indrelid = coalesce(pg_catalog.to_regclass(d.table_name), pg_catalog.to_regclass(pg_catalog.quote_ident(d.table_name)))
) AS k ON true
ORDER BY d.cmin::text::bigint, s.pos
