-- A common table expression: deletions that began with the right, and deleted what gave it before
-- they failed: they are finished while the actor is active and the mark is unchanged. The statement
-- has before it:
--   page (key, user_id, marked_for_deletion_on)  marks, by the group's id
--   rights (ask, active, level)                  by key (rights.sql)
-- and reads begun (key, spent) after it. Fast by unique_key and the index on dead runs, which are
-- few.
begun AS MATERIALIZED (
  SELECT p.key, EXISTS (
    SELECT FROM pruned.runs r
    WHERE r.job = 'groups.destroy' AND (r.unique_key = 'groups.destroy:' || p.key::text OR r.state = 'dead')
      AND r.args ->> 'group_id' = p.key::text AND r.args ->> 'user_id' = p.user_id::text AND r.cursor -> 'spent' = 'true'
      AND p.marked_for_deletion_on <= (r.scheduled_at AT TIME ZONE 'UTC')::date) AS spent
  FROM page p JOIN rights r ON r.ask = p.key WHERE r.level < 50 AND r.active
)
