-- Runs that were ready before their time wait for it, unpublished. If only the database's clock has
-- reached that time, they are due again in a minute.
UPDATE pruned.runs r
SET state = 'waiting', due_at = CASE WHEN u.until > now() THEN u.until ELSE clock_timestamp() + interval '1 minute' END, published_at = NULL,
    changed_at = clock_timestamp()
FROM unnest(:run_id::uuid[], :until::timestamptz[]) AS u (run_id, until)
WHERE r.run_id = u.run_id
