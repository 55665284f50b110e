-- Schema `pruned`, step 30: the settings that processes should share, so that it can be named where
-- they differ.
-- compatible_from: 15

-- {key: value}; of a secret only `***` and the first digits of a hash, by which another value is
-- seen. Settings of jobs are in `jobs`. Null: of a program that does not know the column.
ALTER TABLE pruned.processes ADD COLUMN shared jsonb;
