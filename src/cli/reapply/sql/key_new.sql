-- From now on entries of the ledger of erasures are sealed with this key.
INSERT INTO pruned.erasure_key (key_id) VALUES (:key_id::text) ON CONFLICT (only_one) DO UPDATE SET key_id = excluded.key_id, at = now()
