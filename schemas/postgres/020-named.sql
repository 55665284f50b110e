-- Schema `pruned`, step 20: whose runs are answered, and jobs that a process refuses.
-- compatible_from: 15

-- named_table: the table of the row that an event of an application has named. Whoever sent it is
-- answered also if the job is gone when the run ends. Null: no event has named a row.
ALTER TABLE pruned.runs ADD COLUMN named_table text;
ALTER TABLE pruned.runs_done ADD COLUMN named_table text;

-- refused: [{job, place, reason}], of the jobs of the user that the process does not take as they
-- are written.
ALTER TABLE pruned.processes ADD COLUMN refused jsonb;
