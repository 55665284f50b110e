-- A membership of something else, which only the key of a namespace that is to go (ON DELETE CASCADE) would take along. Asked when the
-- memberships of what goes are gone, so few are left to be looked at. Fast by (member_namespace_id).
SELECT 'members' AS tab, m.id FROM members m
WHERE m.member_namespace_id = ANY (:namespace::bigint[] || :group::bigint[]) AND
-- include: ../elsewhere.sql
LIMIT 1
