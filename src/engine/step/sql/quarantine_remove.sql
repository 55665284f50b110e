-- Success or disappearance ends a quarantine.
DELETE FROM pruned.quarantine WHERE job = :job::text AND item = ANY (:item::text[])
