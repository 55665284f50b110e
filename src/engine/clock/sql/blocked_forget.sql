-- Deletes an entry that is settled. If a later tick has replaced it meanwhile, that one stays.
DELETE FROM pruned.blocked WHERE job = :job::text AND key = :key::text AND run_id = :run_id::uuid
