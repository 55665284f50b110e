-- What this process has to say to the request of that time, and what is in force in it: whoever has
-- waited for the answer is not shown what was in force before. No row: it is not registered yet.
UPDATE pruned.processes
SET reloaded_at = :asked_at::timestamptz, reloaded = :answer::jsonb, settings = :settings::text, shared = :shared::jsonb,
    jobs = :jobs::jsonb, versions = :versions::jsonb, refused = :refused::jsonb
WHERE id = :id::uuid
RETURNING id
