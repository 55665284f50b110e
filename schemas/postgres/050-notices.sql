-- Schema `pruned`, step 50: what is told to people by [notify] url.
-- compatible_from: 41

-- One row for each thing that a person has to know: kind of job (held, disagreed, overdue, failed),
-- and the run that it is about ('': none). It stays while that is so, so it is told once. seen_at:
-- when that was last seen, to the minute. next_try_at: not told before then, nor by two processes
-- at once. told_at: null: not yet. error: why it could not be told the last time.
CREATE TABLE pruned.notices (
    job         text NOT NULL,
    kind        text NOT NULL,
    run_id      text NOT NULL,
    says        text NOT NULL,
    commands    jsonb NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    seen_at     timestamptz NOT NULL DEFAULT now(),
    next_try_at timestamptz NOT NULL,
    attempts    integer NOT NULL DEFAULT 0,
    told_at     timestamptz,
    error       text,
    PRIMARY KEY (job, kind, run_id)
);

SELECT pruned.give_daemons(ARRAY['notices: SELECT, INSERT, UPDATE, DELETE']);
