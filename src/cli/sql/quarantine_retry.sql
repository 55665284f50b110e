-- Due now and no longer parked: the next run of the job takes them. Attempts stay.
UPDATE pruned.quarantine
SET next_try_at = now(), parked = false
WHERE (:job::text IS NULL OR job = :job::text) AND (:item::text IS NULL OR item = :item::text)
RETURNING job, item, reason, attempts, parked, next_try_at
