-- The first key with which entries of the ledger of erasures are sealed.
INSERT INTO pruned.erasure_key (key_id) VALUES (:key_id::text) ON CONFLICT DO NOTHING
