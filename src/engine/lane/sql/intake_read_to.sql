-- From the next offset to this one the partition has no message. No row: another process has moved
-- the next offset.
UPDATE pruned.intake i SET read_to = greatest(i.read_to, :read_to::bigint)
WHERE i.cluster_id = :cluster_id::text AND i.topic = :topic::text AND i.partition = :partition::int AND i.next_offset = :mine::bigint
RETURNING i.read_to
