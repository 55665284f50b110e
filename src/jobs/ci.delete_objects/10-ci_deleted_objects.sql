-- Deletes the rows whose object is gone, if they still carry this step's lease and nobody holds
-- them. They are recorded as they were before the lease: with the time from which on they were
-- ready (`was`). Fast by primary key: the lease is compared in a way that the index on pick_up_at
-- cannot serve, because there all rows of a step have the same value.
DELETE FROM ci_deleted_objects
USING unnest(:id::bigint[], :was::timestamptz[]) AS k (id, was)
WHERE ci_deleted_objects.id = k.id AND ci_deleted_objects.id = ANY (:id::bigint[]) AND ci_deleted_objects.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz AND
  -- include: free.sql
RETURNING ci_deleted_objects.id AS key, pg_catalog.jsonb_set(pg_catalog.to_jsonb(ci_deleted_objects.*), '{pick_up_at}', pg_catalog.to_jsonb(k.was)) AS row
