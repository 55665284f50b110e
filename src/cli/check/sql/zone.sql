-- Columns without a time zone (times and days) that the conditions `name` name, of the job's table
-- and of tables that they name, where the server's time zone is not UTC. Reads the catalogue only.
SELECT DISTINCT w.job, pg_catalog.quote_ident(a.attname) AS name, s.reset_val AS zone
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
CROSS JOIN (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'TimeZone') AS s
CROSS JOIN LATERAL (
  SELECT pg_catalog.to_regclass(w.relation)::oid AS oid
  UNION
  SELECT c.oid FROM pg_class c
  WHERE c.relname::text = ANY (pg_catalog.regexp_split_to_array(pg_catalog.lower(w.name), '[^[:alnum:]_$]+')) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> 'pg_catalog'::regnamespace) AS r
JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid IN ('timestamp'::regtype, 'date'::regtype)
  AND (a.attname = ANY (pg_catalog.regexp_split_to_array(w.name, '[^[:alnum:]_$]+')) OR pg_catalog.strpos(w.name, pg_catalog.quote_ident(a.attname)) > 0 AND a.attname OPERATOR(pg_catalog.~) '[^[:alnum:]_$]')
WHERE s.reset_val !~* '^(etc/)?(utc|gmt|uct|zulu|universal|greenwich)$'
ORDER BY 1, 2
