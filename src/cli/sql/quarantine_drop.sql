-- Forgotten: the next run of the job that meets such an item begins to count anew.
DELETE FROM pruned.quarantine
WHERE (:job::text IS NULL OR job = :job::text) AND (:item::text IS NULL OR item = :item::text)
RETURNING job, item, reason, attempts, parked, next_try_at
