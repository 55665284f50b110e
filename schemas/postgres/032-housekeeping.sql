-- Schema `pruned`, step 32: which parts of housekeeping fail in a process.
-- compatible_from: 15

-- [{part, well_at, failures, error}]: those that have failed since they last went well (`well_at`,
-- seconds since the epoch; null: not since the process started). Null: of a program that does not
-- know the column.
ALTER TABLE pruned.processes ADD COLUMN housekeeping jsonb;
