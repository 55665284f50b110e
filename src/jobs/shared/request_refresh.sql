-- Asks for a refresh of the removed members' authorizations soon (a second request keeps the time)
-- and of their todos later (each request postpones it). `seq` shows a running refresh that there is
-- a new request. Fast by primary key.
INSERT INTO pruned.dirty_users AS d (user_id, kind, due_at)
SELECT u.id, k.kind, now() + k.delay_ms::float8 * interval '1 ms'
FROM (SELECT DISTINCT id FROM pg_catalog.unnest(:user_id::bigint[]) AS l (id) WHERE id IS NOT NULL) AS u,
     (VALUES ('authorizations', :setting.refresh_delay_ms::bigint), ('todos', :setting.todos_delay_ms::bigint)) AS k (kind, delay_ms)
ORDER BY u.id, k.kind
ON CONFLICT (user_id, kind) DO UPDATE
SET seq = d.seq + 1, due_at = CASE d.kind WHEN 'todos' THEN excluded.due_at ELSE d.due_at END
