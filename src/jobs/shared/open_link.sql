-- A condition: link `l` of project `p` (project_group_links) gives access: it has not expired, and
-- the project's own namespace has no lock. If the database has no such column, its name resolves to
-- that of the row beside it, which has no lock either.
(l.expires_at IS NULL OR l.expires_at > (
-- include: as_of.sql
AT TIME ZONE 'UTC')::date)
AND (SELECT (SELECT share_with_group_lock FROM namespaces AS own WHERE own.id = p.namespace_id)
     FROM (SELECT false AS share_with_group_lock) AS otherwise) IS NOT TRUE
