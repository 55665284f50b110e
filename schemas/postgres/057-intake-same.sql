-- Schema `pruned`, step 57: whoever gets a partition knows what was compared with Kafka last.
-- compatible_from: 41

-- The last message that Kafka was seen to have after those before it were taken. What was taken
-- since may be of a topic that was made anew, and so may the message before next_offset.
ALTER TABLE pruned.intake ADD COLUMN same_offset bigint, ADD COLUMN same_ms bigint;
