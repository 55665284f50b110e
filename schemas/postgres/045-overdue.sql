-- Schema `pruned`, step 45: rows that should have gone by now, by the deadlines of jobs.
-- compatible_from: 41

-- What was last found about the rows of a job that has a deadline. rule: what makes its rows due,
-- and how long after that they may be there; so it is known of a job that was removed, too. found:
-- null before the first look. had_at: when a process last had the job. taken_at: when a process
-- last began to look. looked_at: when one had looked.
CREATE TABLE pruned.overdue (
    job       text PRIMARY KEY,
    rule      jsonb NOT NULL,
    found     jsonb,
    had_at    timestamptz NOT NULL DEFAULT now(),
    taken_at  timestamptz NOT NULL DEFAULT now(),
    looked_at timestamptz
);

SELECT pruned.give_daemons(ARRAY['overdue: SELECT, INSERT, UPDATE, DELETE']);
