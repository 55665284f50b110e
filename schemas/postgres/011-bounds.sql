-- Schema `pruned`, step 11: no run may be due never or since ever, or have a next step without a
-- number, whatever program writes it. One such row would block the dispatcher, or its lane.
-- Existing rows are not checked.
ALTER TABLE pruned.runs ADD CONSTRAINT runs_bounds CHECK (
    pg_catalog.isfinite(scheduled_at) AND pg_catalog.isfinite(due_at) AND step BETWEEN 0 AND 2000000000 AND attempts BETWEEN 0 AND 2000000000 AND slot >= 0
) NOT VALID;
