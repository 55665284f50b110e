-- A condition: link `l` of project `p` (project_group_links) lets somebody in: it is not over, and the namespace of the project
-- itself has no lock. A database may have no such column: its name is then the one of the row beside it, which has none either.
(l.expires_at IS NULL OR l.expires_at > (
-- include: as_of.sql
AT TIME ZONE 'UTC')::date)
AND (SELECT (SELECT share_with_group_lock FROM namespaces AS own WHERE own.id = p.namespace_id)
     FROM (SELECT false AS share_with_group_lock) AS otherwise) IS NOT TRUE
