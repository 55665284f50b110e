-- The access requests of some users. The index (user_id, access_level) leaves them out, so they are
-- read once a step. Fast with an index of their own (indexes.sql); without it, one scan of members.
SELECT m.id FROM members m WHERE m.user_id = ANY (:users::bigint[]) AND m.requested_at IS NOT NULL
