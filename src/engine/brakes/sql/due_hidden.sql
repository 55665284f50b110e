-- Whether values of the column `:due` of `:tab` are a secret, because the audit has none of them.
-- Reads the catalogue only.
SELECT :due::text = ANY ((pruned.secret_columns(
         coalesce(pg_catalog.to_regclass(:tab::text), pg_catalog.to_regclass(pg_catalog.quote_ident(:tab::text)))::oid, :secret::text, :record::jsonb))[2:]) AS hidden
