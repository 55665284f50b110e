-- A detail whose attempt was counted and that has the number that it had: a trigger has set it
-- back, so it would get attempts without end. Fast by primary key.
SELECT pg_catalog.format('import_placeholder_user_details.deletion_attempts of row %s was not raised (a trigger or a rule keeps it)', k.id) AS reason
FROM unnest(:key::bigint[], :what::text[], :before::bigint[]) AS k (id, what, before)
CROSS JOIN LATERAL (SELECT d.deletion_attempts FROM import_placeholder_user_details d WHERE d.id = k.id OFFSET 0) AS d
WHERE k.what IN ('counted', 'final') AND d.deletion_attempts = k.before
LIMIT 1
