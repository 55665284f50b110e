-- The rows whose object is gone, if they still carry this step's lease. By primary key.
DELETE FROM ci_deleted_objects o
USING unnest(:id::bigint[], :lease::timestamptz[]) AS k (id, lease)
WHERE o.id = k.id AND o.pick_up_at = k.lease
RETURNING o.id AS key, to_jsonb(o) AS row
