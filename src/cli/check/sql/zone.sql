-- Columns without a time zone that the conditions `name` name, where the server's time zone is not
-- UTC. Reads the catalogue only.
SELECT w.job, pg_catalog.quote_ident(a.attname) AS name, s.reset_val AS zone
FROM unnest(:job::text[], :relation::text[], :name::text[]) AS w (job, relation, name)
CROSS JOIN (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'TimeZone') AS s
JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(w.relation) AND a.attnum > 0 AND a.atttypid = 'timestamp'::regtype
  AND (a.attname = ANY (pg_catalog.regexp_split_to_array(w.name, '[^[:alnum:]_$]+')) OR pg_catalog.strpos(w.name, pg_catalog.quote_ident(a.attname)) > 0 AND a.attname OPERATOR(pg_catalog.~) '[^[:alnum:]_$]')
WHERE s.reset_val !~* '^(etc/)?(utc|gmt|uct|zulu|universal|greenwich)$'
ORDER BY 1, a.attnum
