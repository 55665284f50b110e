-- A common table expression: the users of `access` without a pending request. A request that is not
-- due yet is served later than this step, and no step that marks also removes. Most users with
-- access to many projects are met again and again.
who AS (
  SELECT a.user_id FROM access a
  WHERE NOT EXISTS (SELECT FROM pruned.dirty_users d WHERE d.user_id = a.user_id AND d.kind = 'authorizations' AND d.due_at > now())
)
