-- Deletes the rows whose object is gone, if they still carry this step's lease. Fast by primary
-- key: the lease is compared in a way that the index on pick_up_at cannot serve, because there all
-- rows of a step have the same value.
DELETE FROM ci_deleted_objects o
WHERE o.id = ANY (:id::bigint[]) AND o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz
RETURNING o.id AS key, pg_catalog.to_jsonb(o.*) AS row
