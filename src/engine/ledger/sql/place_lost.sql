-- Why a new run was not inserted: it is known, or an unfinished run holds its unique key.
SELECT u.ord, EXISTS (SELECT FROM pruned.runs r WHERE r.run_id = u.run_id)
              OR EXISTS (SELECT FROM pruned.runs_done d WHERE d.run_id = u.run_id AND d.scheduled_at = u.scheduled_at)
              OR EXISTS (SELECT FROM pruned.event_ids e WHERE e.run_id = u.run_id) AS known,
       h.run_id AS holder
FROM unnest(:run_id::uuid[], :scheduled_at::timestamptz[], :unique_key::text[]) WITH ORDINALITY
     AS u (run_id, scheduled_at, unique_key, ord)
LEFT JOIN pruned.runs h ON h.unique_key = u.unique_key
ORDER BY u.ord
