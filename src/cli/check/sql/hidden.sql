-- Tables whose rows row-level security may hide from this role, with the remedy. Reads the
-- catalogue only.
SELECT DISTINCT w.job, w.relation, pg_catalog.format('ALTER ROLE %I BYPASSRLS;', current_user) AS remedy
FROM unnest(:job::text[], :relation::text[]) AS w (job, relation)
JOIN pg_class c ON c.oid = pg_catalog.to_regclass(w.relation) AND c.relkind IN ('r', 'p')
WHERE pg_catalog.row_security_active(c.oid)
ORDER BY w.job, w.relation
