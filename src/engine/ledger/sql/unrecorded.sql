-- The columns of these tables (`:tab`, as SQL writes them) that are not recorded, where rows are:
-- `:audit`, of single tables `:audit_of`. `:how`: DELETE or UPDATE; of a row that is only updated
-- the columns `:emptied` matter (null: all). `lost`: rows of the table cannot be put back without
-- it. `vain`: `:record` names what is no such column. Reads the catalogue only.
WITH tab AS (
  SELECT x.rel, pg_catalog.bool_or(t.how = 'DELETE') AS deleted
  FROM unnest(:tab::text[], :how::text[]) AS t (name, how)
  CROSS JOIN LATERAL (SELECT coalesce(pg_catalog.to_regclass(t.name), pg_catalog.to_regclass(pg_catalog.quote_ident(t.name)))::oid AS rel) AS x
  WHERE x.rel IS NOT NULL AND coalesce(:audit_of::jsonb ->> (x.rel::regclass::text), :audit_of::jsonb ->> t.name, :audit::text) = 'full'
  GROUP BY x.rel
),
hidden AS MATERIALIZED (SELECT t.rel, t.deleted, pruned.secret_columns(t.rel, :secret::text, :record::jsonb) AS found FROM tab t),
named AS (
  SELECT r.pair ->> 0 AS tab, r.pair ->> 1 AS name, coalesce(pg_catalog.to_regclass(r.pair ->> 0), pg_catalog.to_regclass(pg_catalog.quote_ident(r.pair ->> 0)))::oid AS rel
  FROM pg_catalog.jsonb_array_elements(:record::jsonb) AS r (pair)
)
SELECT h.rel::regclass::text || '.' || pg_catalog.quote_ident(a.attname) AS name, l.lost, false AS vain,
       CASE WHEN k.is_key THEN 'it is the key, of which only a hash is recorded: the rows cannot be put back'
            WHEN l.lost THEN 'it must not be null: the rows cannot be put back'
            WHEN NOT h.deleted THEN 'the value that the job replaces does not come back'
            WHEN a.attnotnull THEN 'the rows come back with its default' ELSE 'the rows come back without it' END AS why
FROM hidden h
CROSS JOIN LATERAL pg_catalog.unnest(h.found[2:]) AS c (name)
JOIN pg_attribute a ON a.attrelid = h.rel AND a.attname = c.name
CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = h.rel AND i.indisprimary
                                   AND a.attnum = ANY ((i.indkey::smallint[])[0: (i.indnkeyatts - 1)])) AS is_key) AS k
CROSS JOIN LATERAL (SELECT k.is_key OR h.deleted AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS lost) AS l
WHERE h.deleted OR k.is_key OR coalesce(a.attname = ANY (:emptied::text[]), true)
UNION ALL
SELECT n.tab || '.' || pg_catalog.quote_ident(n.name), false, true,
       CASE WHEN a.attname IS NULL THEN 'there is no such column' ELSE 'it is recorded anyway' END
FROM named n LEFT JOIN pg_attribute a ON a.attrelid = n.rel AND a.attname = n.name AND a.attnum > 0 AND NOT a.attisdropped
WHERE a.attname IS NULL OR NOT a.attname = ANY ((pruned.secret_columns(n.rel, :secret::text, '[]'))[2:])
ORDER BY vain, name
