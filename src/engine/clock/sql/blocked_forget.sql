-- It is not blocked any more. If a later tick took its place meanwhile, that one stays.
DELETE FROM pruned.blocked WHERE job = :job::text AND key = :key::text AND run_id = :run_id::uuid
