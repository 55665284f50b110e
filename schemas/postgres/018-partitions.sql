-- Schema `pruned`, step 18: partitions that a job has decided to drop.
-- compatible_from: 15

-- A partition cannot be detached beside running queries inside a transaction. So it is noted here
-- by the transaction that decides, and its row goes with the transaction that drops it. What is
-- noted is finished by the next step of the job, of whatever run.
CREATE TABLE pruned.partitions (
    relid      oid PRIMARY KEY,
    job        text NOT NULL,
    run_id     uuid NOT NULL,        -- the run that decided
    parent     oid NOT NULL,
    name       text NOT NULL,        -- as SQL writes it; another table of this name is left alone
    -- as PostgreSQL shows it: a partition with another bound is left alone
    bound      text NOT NULL,
    lower      text,                 -- null: MINVALUE
    upper      text NOT NULL,
    upper_at   timestamptz NOT NULL, -- the upper bound as a time; without a zone it is read as UTC
    rows       bigint,               -- PostgreSQL's estimate; null: never analyzed
    decided_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX partitions_job ON pruned.partitions (job);

SELECT pruned.give_daemons(ARRAY['partitions: SELECT, INSERT, UPDATE, DELETE']);
