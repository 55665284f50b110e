-- Schema `pruned`, step 2: the latest event of each timer (docs/design.md, timers), so that the
-- order of events decides and not the order in which they arrive.
CREATE TABLE pruned.timers (
    unique_key   text PRIMARY KEY,
    run_id       uuid NOT NULL,
    scheduled_at timestamptz NOT NULL
);
CREATE INDEX timers_scheduled_at ON pruned.timers (scheduled_at);
