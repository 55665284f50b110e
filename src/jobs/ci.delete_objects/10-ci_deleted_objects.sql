-- Deletes the rows whose object is gone, if they still carry this step's lease and nobody holds
-- them. They are recorded as they were before the lease: with the time from which on they were
-- ready (`was`). Fast by primary key: the lease is compared in a way that the index on pick_up_at
-- cannot serve, because there all rows of a step have the same value.
DELETE FROM ci_deleted_objects o
USING unnest(:id::bigint[], :was::timestamptz[]) AS k (id, was)
WHERE o.id = k.id AND o.id = ANY (:id::bigint[]) AND o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz
  AND NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table('ci_deleted_objects')) AND h.key = o.id::text AND
                  -- include: ../../engine/job/sql/held_now.sql
                 )
RETURNING o.id AS key, pg_catalog.jsonb_set(pg_catalog.to_jsonb(o.*), '{pick_up_at}', pg_catalog.to_jsonb(k.was)) AS row
