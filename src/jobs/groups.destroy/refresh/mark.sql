-- The end of a statement that has `who (user_id)` before it: asks for a refresh of these users'
-- authorizations, as any change of their rights does. In the order of ids, against deadlocks.
INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
SELECT user_id, 'authorizations', now() + :setting.refresh_delay_ms::bigint::float8 * interval '1 ms' FROM who ORDER BY user_id
ON CONFLICT (user_id, kind) DO UPDATE SET seq = d.seq + 1
