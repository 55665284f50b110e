-- When lost messages were last found; 0: never.
SELECT coalesce(extract(epoch FROM pg_catalog.max(greatest(lost_at, unread_at))), 0)::float8 AS value FROM pruned.lost_messages
