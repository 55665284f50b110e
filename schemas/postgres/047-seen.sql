-- Schema `pruned`, step 47: what every transaction could see before a run began.
-- compatible_from: 41

-- seen: transactions below it had ended when the run was asked for, so all of its pages saw what
-- they wrote. Null: an earlier version has made or archived the run.
ALTER TABLE pruned.runs ADD COLUMN seen xid8;
ALTER TABLE pruned.runs ALTER COLUMN seen SET DEFAULT pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot());
ALTER TABLE pruned.runs_done ADD COLUMN seen xid8;
CREATE INDEX readings_job ON pruned.readings (job, at);
