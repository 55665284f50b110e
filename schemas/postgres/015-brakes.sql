-- Schema `pruned`, step 15: runs that are held until somebody approves them, how many rows a run
-- has changed, and the mode that holds where no setting names one.
-- Without compatible_from: a program that does not know the limits would ignore them.

-- rows_done: own rows and children so far. rows_counted: what a count before the first page found.
-- rows_limit: how many the run may change before it is counted again.
-- held: {limit, counted, estimated, at, version} while the state is `held`.
ALTER TABLE pruned.runs
    ADD COLUMN rows_done bigint, ADD COLUMN rows_counted bigint, ADD COLUMN rows_limit bigint, ADD COLUMN held jsonb, ADD COLUMN approved_at timestamptz,
    ADD COLUMN approved_until timestamptz, ADD COLUMN approved_rows bigint, ADD COLUMN approved_reason text;
ALTER TABLE pruned.runs_done
    ADD COLUMN rows_done bigint, ADD COLUMN rows_counted bigint, ADD COLUMN rows_limit bigint, ADD COLUMN held jsonb, ADD COLUMN approved_at timestamptz,
    ADD COLUMN approved_until timestamptz, ADD COLUMN approved_rows bigint, ADD COLUMN approved_reason text;
CREATE INDEX runs_held ON pruned.runs (job) WHERE state = 'held';
-- The rows of a day: only runs that have changed some.
CREATE INDEX runs_day ON pruned.runs (job, finished_at) INCLUDE (rows_done) WHERE rows_done > 0;
CREATE INDEX runs_done_day ON pruned.runs_done (job, finished_at) INCLUDE (rows_done) WHERE rows_done > 0;

-- The versions of jobs of which somebody has approved a run (`approve = first`).
CREATE TABLE pruned.approved_versions (
    job     text NOT NULL,
    version text NOT NULL,
    at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (job, version)
);

-- One row. A schema that is made now begins with `plan`; one that existed goes on with `apply`.
CREATE TABLE pruned.mode (
    mode text NOT NULL CHECK (mode IN ('apply', 'plan'))
);
CREATE UNIQUE INDEX mode_once ON pruned.mode ((true));
INSERT INTO pruned.mode (mode) SELECT CASE WHEN pg_catalog.current_setting('pruned.fresh', true) = 'on' THEN 'plan' ELSE 'apply' END;

SELECT pruned.give_daemons(ARRAY['approved_versions: SELECT, INSERT', 'mode: SELECT']);
