-- Deletes items from quarantine. If one fails again, the job counts its attempts from the start.
DELETE FROM pruned.quarantine
WHERE (:job::text IS NULL OR job = :job::text) AND (:item::text IS NULL OR item = :item::text)
RETURNING job, item, reason, attempts, parked, next_try_at
