-- What the second reading of a run has found.
UPDATE pruned.readings x
SET at = now(), rows = :rows::bigint, read = :read::bigint, wrong = :wrong::bigint, left_over = :left::bigint, lost = :lost::bigint, unsure = :unsure::bigint,
    named = :named::jsonb, unread = :unread::jsonb
WHERE x.run_id = :run_id::uuid
RETURNING x.at
