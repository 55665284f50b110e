-- Objects that are gone leave the quarantine.
DELETE FROM pruned.quarantine WHERE job = :job::text AND item = ANY (:item::text[])
