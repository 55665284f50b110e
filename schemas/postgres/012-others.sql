-- Schema `pruned`, step 12: where and when Kafka was last found to have other messages than were
-- taken from it, or none. `pruned doctor` names it for a day.
ALTER TABLE pruned.intake ADD COLUMN others_first bigint, ADD COLUMN others_next bigint, ADD COLUMN others_at timestamptz;
