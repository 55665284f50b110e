-- Deletes memberships of these projects, also those that only their own namespace ties to them, but for those of something
-- that stays (../strangers.sql). Fast by (source_id, source_type) and
-- (member_namespace_id); nothing is read beyond the limit.
-- One that has just been moved elsewhere stays.
-- `held`: where others go with them, just those that the step has locked (../../references.sql). In a table of partitions a place alone
-- says not which row.
WITH held AS (SELECT nullif(current_setting('pruned.held_members', true), '')::tid[] AS places),
doomed AS MATERIALIZED (
  SELECT m.id, m.source_id, m.source_type, m.member_namespace_id FROM members m
  WHERE m.ctid = ANY ((SELECT places FROM held)::tid[]) AND m.source_type = 'Project' AND m.source_id = ANY (:project::bigint[])
  UNION ALL
  SELECT m.* FROM unnest(:project::bigint[]) AS s (id), LATERAL (
    SELECT m.id, m.source_id, m.source_type, m.member_namespace_id FROM members m WHERE m.source_id = s.id AND m.source_type = 'Project' OFFSET 0) AS m
  WHERE (SELECT places FROM held) IS NULL
  UNION ALL
  SELECT m.* FROM unnest(:namespace::bigint[]) AS s (id), LATERAL (
    SELECT m.id, m.source_id, m.source_type, m.member_namespace_id FROM members m
    WHERE m.member_namespace_id = s.id AND NOT (m.source_type = 'Project' AND m.source_id = ANY (:project::bigint[])) AND NOT
    -- include: ../../elsewhere.sql
    OFFSET 0) AS m
  LIMIT :limit::int
)
DELETE FROM members m USING doomed d
WHERE m.id = d.id AND (m.source_id, m.source_type, m.member_namespace_id)
  IS NOT DISTINCT FROM (d.source_id, d.source_type, d.member_namespace_id)
RETURNING m.id AS key, to_jsonb(m.*) AS row, m.id AS member_id, m.user_id, m.source_type, m.source_id, m.access_level, m.expires_at,
          (SELECT u.user_type FROM users u WHERE u.id = m.user_id) AS user_type
