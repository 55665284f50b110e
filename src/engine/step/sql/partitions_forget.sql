-- What was noted of these partitions no longer holds.
DELETE FROM pruned.partitions r WHERE r.job = :job::text AND r.relid = ANY (:relid::oid[]) RETURNING r.name AS key
