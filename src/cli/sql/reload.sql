-- Asks all processes to reload.
INSERT INTO pruned.reload AS r (one, asked_at) VALUES (true, clock_timestamp())
ON CONFLICT (one) DO UPDATE SET asked_at = excluded.asked_at
RETURNING r.asked_at::text AS asked_at
