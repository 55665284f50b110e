-- Adds the authorizations that are missing. Only the difference is touched.
WITH
-- include: ../../wanted.sql
INSERT INTO project_authorizations (user_id, project_id, access_level)
SELECT * FROM wanted EXCEPT SELECT * FROM present ORDER BY user_id, project_id
ON CONFLICT DO NOTHING
