-- Schema `pruned`, step 22: a run can work in several lanes at once. Each further range of its rows
-- has a row of its own with the run's id in `range_of`. It is no run: no command lists it, and it
-- is deleted when the run takes in what it has done. (No range is ever in the archive.)
-- compatible_from: 15

-- A program that does not know ranges works one off as if it were a run: set `ranges` once all do.
ALTER TABLE pruned.runs ADD COLUMN range_of uuid;
ALTER TABLE pruned.runs_done ADD COLUMN range_of uuid;
CREATE INDEX runs_range_of ON pruned.runs (range_of) WHERE range_of IS NOT NULL;
