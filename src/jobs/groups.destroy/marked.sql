-- Whether the deletion of the group is marked as in progress. Fast by primary key.
SELECT d.deleted_at IS NOT NULL AS marked FROM namespace_details d WHERE d.namespace_id = :group::bigint
