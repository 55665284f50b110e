-- A common table expression: who of those with `access` has not been asked for already. A request that is not due yet will be granted later than
-- this, and nothing goes in a step that marks; most of those who have access to many projects are met again and again.
who AS (
  SELECT a.user_id FROM access a
  WHERE NOT EXISTS (SELECT FROM pruned.dirty_users d WHERE d.user_id = a.user_id AND d.kind = 'authorizations' AND d.due_at > now())
)
