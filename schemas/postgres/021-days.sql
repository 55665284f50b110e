-- Schema `pruned`, step 21: rows of a day that processes may change.
-- compatible_from: 15

-- One row for each job with `max_rows_per_day`. given: rows that its runs have changed within 24
-- hours when they were last counted, and those that were given to processes since then, changed or
-- not.
-- Each count changes the label: what was given before it is void. portion: what was given last.
CREATE TABLE pruned.days (
    job        text PRIMARY KEY,
    label      uuid NOT NULL,
    given      bigint NOT NULL,
    portion    bigint NOT NULL,
    counted_at timestamptz NOT NULL
) WITH (fillfactor = 50);

SELECT pruned.give_daemons(ARRAY['days: SELECT, INSERT, UPDATE']);
