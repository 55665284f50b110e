-- Schema `pruned`, step 37: what the engine keeps of a run has a column of its own. It was among
-- the columns of the job's cursor, where a column could have the same name.
-- compatible_from: 15

-- The engine's own keys (limit, ranges and others). Those that are no columns of the job's cursor
-- are in `cursor` as well, as long as programs of step 36 may read and write it: what it says there
-- counts. So runs that are under way go on, and no row is changed here. Null: of such a program
-- alone, or no step has ended.
ALTER TABLE pruned.runs ADD COLUMN progress jsonb;
ALTER TABLE pruned.runs_done ADD COLUMN progress jsonb;
