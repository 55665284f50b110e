-- A membership of something that stays, which only the key of a namespace to be deleted (ON DELETE
-- CASCADE) would remove. Checked when the group's memberships are gone, so few rows are read. Fast
-- by (member_namespace_id).
SELECT 'members' AS tab, m.id FROM members m
WHERE m.member_namespace_id = ANY (:namespace::bigint[] OPERATOR(pg_catalog.||) :group::bigint[]) AND
-- include: ../elsewhere.sql
LIMIT 1
