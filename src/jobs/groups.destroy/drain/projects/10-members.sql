-- Deletes memberships of these projects and of their own namespaces, then those that only their own
-- namespace ties to them, except memberships of something that stays (../strangers.sql). Fast by
-- (source_id, source_type) and (member_namespace_id); reads no further than the limit.
-- `held`: where a key leads to these rows, only the rows that the step has locked
-- (../../references.sql). Rows are found once and deleted where they stand. The ctid alone does not
-- identify a row in a partitioned table, and a row that has just been moved elsewhere must stay: so
-- its parent is checked again.
WITH held AS (SELECT nullif(pg_catalog.current_setting('pruned.held_members', true), '')::tid[] AS places),
own AS MATERIALIZED (
  SELECT pg_catalog.unnest(places) AS place FROM held
  UNION ALL
  SELECT m.place FROM pg_catalog.unnest(:project::bigint[]) AS s (id), LATERAL (
    SELECT m.ctid AS place FROM members m WHERE m.source_id = s.id AND m.source_type::text = 'Project' OFFSET 0) AS m
  WHERE (SELECT places FROM held) IS NULL
  UNION ALL
  SELECT m.place FROM pg_catalog.unnest(:namespace::bigint[]) AS s (id), LATERAL (
    SELECT m.ctid AS place FROM members m WHERE m.source_id = s.id AND m.source_type::text = 'Namespace' OFFSET 0) AS m
  WHERE (SELECT places FROM held) IS NULL
  LIMIT :limit::int
),
doomed AS (
  SELECT place FROM own
  UNION ALL
  SELECT m.place FROM pg_catalog.unnest(:namespace::bigint[]) AS s (id), LATERAL (
    SELECT m.ctid AS place FROM members m
    WHERE m.member_namespace_id = s.id AND NOT (m.source_type::text = 'Project' AND m.source_id = ANY (:project::bigint[])) AND NOT
    -- include: ../../elsewhere.sql
    OFFSET 0) AS m
  WHERE NOT EXISTS (SELECT FROM own)
  LIMIT :limit::int
)
DELETE FROM members m
WHERE m.ctid = ANY (ARRAY(SELECT place FROM doomed))
  AND (m.source_type::text = 'Project' AND m.source_id = ANY (:project::bigint[]) OR m.source_type::text = 'Namespace' AND m.source_id = ANY (:namespace::bigint[])
       OR m.member_namespace_id = ANY (:namespace::bigint[]) AND NOT
  -- include: ../../elsewhere.sql
  )
RETURNING m.id AS key, pg_catalog.to_jsonb(m.*) AS row, m.id AS member_id, m.user_id, m.source_type, m.source_id, m.access_level, m.expires_at,
          (SELECT u.user_type FROM users u WHERE u.id = m.user_id) AS user_type
