-- Returns the leases of objects that were not tried: they get their former time, so that order and
-- age are kept. Fast by primary key.
UPDATE ci_deleted_objects o SET pick_up_at = k.was
FROM unnest(:id::bigint[], :was::timestamptz[]) AS k (id, was)
WHERE o.id = k.id AND o.id = ANY (:id::bigint[]) AND o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz
