-- The access requests of some users: the index (user_id, access_level) leaves them out, so they are looked for once a step.
-- Fast with an index of their own (indexes.sql); without it, one pass over members.
SELECT m.id FROM members m WHERE m.user_id = ANY (:users::bigint[]) AND m.requested_at IS NOT NULL
