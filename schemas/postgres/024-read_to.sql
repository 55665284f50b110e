-- Schema `pruned`, step 24: where partitions end behind their last message.
-- compatible_from: 15

-- read_to: between next_offset and this offset the partition has no message: a transactional
-- producer has left markers, or messages of an aborted transaction. Null: not known. They are not
-- lost when Kafka drops them.
ALTER TABLE pruned.intake ADD COLUMN read_to bigint;
