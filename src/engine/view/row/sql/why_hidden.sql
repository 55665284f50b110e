-- Whether row-level security hides rows of the table `:table` from this role: of one that is not
-- seen nobody knows whether it is there.
SELECT coalesce(pg_catalog.row_security_active(pg_catalog.to_regclass(:table::text)::oid), false) AS hidden
