-- Schema `pruned`, step 14: one row that stops everything (`pruned stop`), pauses that end by
-- themselves, and the class of a run's error.

-- While `stopped`, no process begins a step. `cancel`: steps that run are cancelled. `since`, `by`
-- and `reason` tell of the last stop.
CREATE TABLE pruned.stop (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    stopped boolean NOT NULL DEFAULT false,
    cancel  boolean NOT NULL DEFAULT false,
    since   timestamptz,
    by      text,
    reason  text
);
INSERT INTO pruned.stop DEFAULT VALUES;

-- `paused_until`: the pause ends then, by the database's clock; null: with `pruned resume`.
ALTER TABLE pruned.controls ADD COLUMN paused_until timestamptz, ADD COLUMN reason text;

-- The stop that a process has seen, and the runs whose step it still has under way.
ALTER TABLE pruned.processes ADD COLUMN stopped_at timestamptz, ADD COLUMN running uuid[];

-- The SQLSTATE of `error`, or another name of its kind, as in the log.
ALTER TABLE pruned.runs ADD COLUMN error_class text;
ALTER TABLE pruned.runs_done ADD COLUMN error_class text;

SELECT pruned.give_daemons(ARRAY['stop: SELECT, INSERT, UPDATE']);
