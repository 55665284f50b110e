-- Schema `pruned`, step 56: overdue rows over time.
-- compatible_from: 41

-- The most rows of a job that were found past their deadline on a day (UTC), of those that nobody
-- means to stay, and for how long one of its rows had been due at most. A job that nobody has
-- looked at on a day has no row of it. Kept for 400 days.
CREATE TABLE pruned.overdue_days (
    day      date NOT NULL,
    job      text NOT NULL,
    rows     bigint NOT NULL,
    oldest_s double precision NOT NULL,
    PRIMARY KEY (day, job)
);

SELECT pruned.give_daemons(ARRAY['overdue_days: SELECT, INSERT, UPDATE, DELETE']);
