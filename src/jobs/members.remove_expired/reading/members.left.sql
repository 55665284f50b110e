-- include: ../../shared/reading_members_left.sql
UNION ALL
-- Project bots that nothing removes.
SELECT 'users', u.id::text, 'is a bot whose membership has gone, and nothing removes it'
FROM users u
WHERE u.id IN (SELECT (g.row).user_id FROM pruned_gone g) AND u.user_type = 6 AND pg_catalog.age(u.xmin) > pg_catalog.age(:seen::text::xid8::xid)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.parent_id = :run_id::uuid AND r.job = 'users.destroy' AND r.args ->> 'user_id' = u.id::text)
  AND NOT EXISTS (SELECT FROM pruned.runs_done r WHERE r.parent_id = :run_id::uuid AND r.job = 'users.destroy' AND r.args ->> 'user_id' = u.id::text)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.unique_key = 'users.destroy:' || u.id)
  AND NOT EXISTS (SELECT FROM pruned.runs r WHERE r.job = 'users.destroy' AND r.finished_at > (SELECT o.created_at FROM pruned.runs o WHERE o.run_id = :run_id::uuid)
                  AND r.args ->> 'user_id' = u.id::text)
