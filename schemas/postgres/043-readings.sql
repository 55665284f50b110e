-- Schema `pruned`, step 43: what the second reading of runs has found.
-- compatible_from: 41

-- A run that was read again after it, or is being read: then `read` is null. rows: recorded, of
-- tables that can be read again; read: of them; wrong: rows that the rule does not take; left_over:
-- rows that refer to one that has gone; lost: rows that their record would not bring back; unsure:
-- rows of which the answer rests on what may have changed since. named: the first of these that
-- disagree, [{verdict, table, key, says}]. unread:
-- what could not be read, [{table, rows, why}].
CREATE TABLE pruned.readings (
    run_id    uuid PRIMARY KEY,
    job       text NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    rows      bigint,
    read      bigint,
    wrong     bigint,
    left_over bigint,
    lost      bigint,
    unsure    bigint,
    named     jsonb,
    unread    jsonb
);
CREATE INDEX readings_at ON pruned.readings (at);
CREATE INDEX readings_begun ON pruned.readings (at) WHERE read IS NULL;
CREATE INDEX readings_disagree ON pruned.readings (job) WHERE wrong + left_over + lost > 0;

SELECT pruned.give_daemons(ARRAY['readings: SELECT, INSERT, UPDATE, DELETE']);
