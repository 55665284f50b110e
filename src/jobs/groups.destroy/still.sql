-- Whether the deletion continues: the group exists, its mark is due, and the user who set it may
-- delete it; otherwise no row. A later step runs this first, and decide.sql only if there is no
-- row. `:spent`: what gave the right was deleted with the group's own rows, so the user only has to
-- be active. One group, so that the plan is made once.
WITH k AS (SELECT :group::bigint AS id, 1 AS pos),
-- include: ../shared/marked_group.sql
SELECT p.traversal_ids[1] AS root_namespace_id, p.in_progress
FROM page p JOIN rights r ON r.ask = p.key
WHERE p.marked AND p.over AND p.in_line AND (r.level = 50 OR :spent::boolean AND r.active)
