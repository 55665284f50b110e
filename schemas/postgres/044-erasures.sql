-- Schema `pruned`, step 44: the way back from an old backup (`remember`, `pruned reapply`).
-- compatible_from: 41

-- Which key file seals the entries of the ledger of erasures: one row, once there are any.
CREATE TABLE pruned.erasure_key (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    key_id   text NOT NULL,
    at       timestamptz NOT NULL DEFAULT now()
);

-- The rows that a run of `pruned reapply` is about: those that have gone by the ledger and are
-- there again. key: as in quarantine. erased_at: when it went; a row that was made later stays.
CREATE TABLE pruned.reapply (
    run_id    uuid NOT NULL,
    key       text COLLATE "C" NOT NULL,
    erased_at timestamptz NOT NULL,
    PRIMARY KEY (run_id, key)
);

SELECT pruned.give_daemons(ARRAY['erasure_key: SELECT, INSERT, UPDATE', 'reapply: SELECT, INSERT, DELETE']);
