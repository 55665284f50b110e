-- In place of a whole row in a statement of a built-in job that reads its records back. Which
-- columns are recorded as texts is asked once, or known.
pruned.recorded(\1.*, CASE WHEN :audit.texts::text[] OPERATOR(pg_catalog.=) '{}' THEN (SELECT pruned.texts_of('{table}'::pg_catalog.regclass::oid)) ELSE :audit.texts::text[] END)
