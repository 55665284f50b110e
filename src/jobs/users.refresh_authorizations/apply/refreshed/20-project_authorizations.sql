-- Deletes authorizations that nothing gives any more, or at another level. Only the difference is touched, by primary key.
WITH
-- include: ../../wanted.sql
,
stale AS (SELECT * FROM present EXCEPT SELECT * FROM wanted ORDER BY user_id, project_id, access_level)
DELETE FROM project_authorizations a
USING stale s
WHERE a.user_id = s.user_id AND a.project_id = s.project_id AND a.access_level = s.access_level
RETURNING jsonb_build_object('user_id', a.user_id, 'project_id', a.project_id, 'access_level', a.access_level) AS key,
          to_jsonb(a) AS row
