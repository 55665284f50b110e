-- Whether values of the column `:due` of `:tab` are not shown: a secret, or no time and no date,
-- and the audit has no rows of the table (`:audit`, of single tables `:audit_of`), because nobody
-- is to read what stands in them. Reads the catalogue only.
SELECT coalesce(:due::text = ANY ((pruned.secret_columns(t.rel, :secret::text, :record::jsonb))[2:]), false)
       OR (coalesce(:audit_of::jsonb ->> (t.rel::regclass::text), :audit_of::jsonb ->> :tab::text, :audit::text) <> 'full'
           AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = t.rel AND a.attname = :due::text
                           AND a.atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype, 'date'::regtype))) AS hidden
FROM (SELECT coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:tab::text)))::oid AS rel) AS t
