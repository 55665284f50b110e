-- Schema `pruned`, step 5: what a child run was started for (user, project or namespace,
-- root_namespace), for its log lines: the row they come from can be gone by then.
ALTER TABLE pruned.runs ADD COLUMN context jsonb;
ALTER TABLE pruned.runs_done ADD COLUMN context jsonb;
