-- Schema `pruned`, step 11: what a run may not be, whoever writes it: one that is due never or since ever, or whose next step has no number.
-- One such row kept the dispatcher, or its lane, from everything else. Rows that are there already are not looked through.
ALTER TABLE pruned.runs ADD CONSTRAINT runs_bounds CHECK (
    pg_catalog.isfinite(scheduled_at) AND pg_catalog.isfinite(due_at) AND step BETWEEN 0 AND 2000000000 AND attempts BETWEEN 0 AND 2000000000 AND slot >= 0
) NOT VALID;
