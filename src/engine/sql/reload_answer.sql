-- What this process has to say to the request of that time. No row: it is not registered yet.
UPDATE pruned.processes SET reloaded_at = :asked_at::timestamptz, reloaded = :answer::jsonb WHERE id = :id::uuid
RETURNING id
