-- Schema `pruned`, step 36: messages that are in a batch that cannot be unpacked count as lost.
-- compatible_from: 15

-- unread_first, unread_next: from and up to which offset (exclusive) such batches were passed over,
-- the last ones. unread_at: when; null: none was. lost_at is -infinity if Kafka has dropped none.
ALTER TABLE pruned.lost_messages ADD COLUMN unread_first bigint;
ALTER TABLE pruned.lost_messages ADD COLUMN unread_next bigint;
ALTER TABLE pruned.lost_messages ADD COLUMN unread_at timestamptz;
