-- Schema `pruned`, step 17: rows that a run has leased and not settled yet.
-- compatible_from: 15

-- rows_leased: rows of an errand that is under way. They count for the day of other runs until the
-- step has ended. A program that does not know them neither writes nor clears them: they count only
-- while the run is ready.
ALTER TABLE pruned.runs ADD COLUMN rows_leased bigint;
ALTER TABLE pruned.runs_done ADD COLUMN rows_leased bigint;
CREATE INDEX runs_leased ON pruned.runs (job) INCLUDE (rows_leased) WHERE rows_leased > 0;
