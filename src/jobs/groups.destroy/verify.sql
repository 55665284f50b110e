-- Groups whose traversal_ids and parent_id disagree about whether they are below this group, or
-- that lie below themselves. Which of the two is right cannot be decided here, so nothing is
-- touched. Once a run; fast by the index on traversal_ids and by (parent_id).
WITH below AS MATERIALIZED (
  SELECT n.id, n.parent_id, n.traversal_ids FROM namespaces n WHERE n.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] AND n.type::text = 'Group'
)
SELECT b.id FROM below b LEFT JOIN below p ON p.id = b.parent_id
WHERE b.id <> :group::bigint AND b.traversal_ids::text IS DISTINCT FROM (p.traversal_ids OPERATOR(pg_catalog.||) b.id)::text
UNION
-- A circle: a group that is its own parent, or lies below itself.
SELECT b.id FROM below b
WHERE b.id = :group::bigint AND (b.parent_id IN (SELECT id FROM below)
  OR pg_catalog.array_position(b.traversal_ids::bigint[], b.id::bigint) IS DISTINCT FROM pg_catalog.cardinality(b.traversal_ids))
UNION
SELECT c.id FROM below b, LATERAL (
  SELECT c.id FROM namespaces c
  WHERE c.parent_id = b.id AND c.type::text = 'Group' AND NOT c.traversal_ids OPERATOR(pg_catalog.@>) ARRAY[:group::bigint] OFFSET 0) AS c
ORDER BY id
LIMIT 10
