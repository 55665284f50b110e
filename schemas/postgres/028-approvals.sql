-- Schema `pruned`, step 28: a version that was approved with a run is unknown again if that run is
-- discarded before it has changed anything.
-- compatible_from: 15

-- The run with which the version was approved first. NULL: by a program that does not know the
-- column.
ALTER TABLE pruned.approved_versions ADD COLUMN run_id uuid;

-- The same as `pruned grants`.
SELECT pruned.give_daemons(ARRAY['approved_versions: SELECT, INSERT, DELETE']);
