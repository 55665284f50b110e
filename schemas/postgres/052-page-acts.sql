-- Schema `pruned`, step 52: for whom the page does something.
-- compatible_from: 41

-- A command that a daemon starts for its page reads here for whom, and removes the row. What was
-- done stands in the journal.
CREATE TABLE pruned.page_acts (
    act_id uuid PRIMARY KEY,
    person text NOT NULL,
    at     timestamptz NOT NULL DEFAULT now()
);

SELECT pruned.give_daemons(ARRAY['page_acts: SELECT, INSERT, DELETE']);
