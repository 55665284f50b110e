-- Schedule `s` has a membership in its hierarchy that was added since its pass has read them: one
-- after the place where this step began, `:after` of the turns `:turn`, that the step has not read
-- (`:read`). As in memberships.sql; but access requests are left out, because no index is sure to
-- have them. Fast by the user's memberships (user_id, access_level) and primary keys.
EXISTS (
  SELECT FROM unnest(:turn::bigint[], :after::bigint[]) AS t (id, after)
  CROSS JOIN LATERAL (SELECT g.traversal_ids[1] AS root_id FROM namespaces g WHERE g.id = s.namespace_id OFFSET 0) AS g
  CROSS JOIN LATERAL (
    SELECT m.source_type, m.source_id FROM members m
    WHERE m.user_id = s.user_id AND m.requested_at IS NULL AND m.id > t.after AND m.id NOT IN (SELECT pg_catalog.unnest(:read::bigint[]))
    OFFSET 0) AS m
  WHERE t.id = s.id AND CASE m.source_type::text
    WHEN 'Project' THEN (SELECT n.traversal_ids[1] FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = m.source_id)
    ELSE (SELECT n.traversal_ids[1] FROM namespaces n WHERE n.id = m.source_id AND n.type::text = 'Group') END = g.root_id)
