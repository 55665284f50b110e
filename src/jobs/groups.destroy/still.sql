-- Whether the deletion goes on: the group is there, its mark has come of age and whoever set it may delete it; else no row. A later step of the
-- run asks this at first, and only without an answer what else is to happen (decide.sql). `:spent`: what gave him the right has gone with the
-- group's own rows, so he only has to be active. One group, so that the plan is made once.
WITH k AS (SELECT :group::bigint AS id, 1 AS pos),
-- include: ../shared/marked_group.sql
SELECT p.traversal_ids[1] AS root_namespace_id, p.in_progress
FROM page p JOIN rights r ON r.ask = p.key
WHERE p.marked AND p.over AND p.in_line AND (r.level = 50 OR :spent::boolean AND r.active)
