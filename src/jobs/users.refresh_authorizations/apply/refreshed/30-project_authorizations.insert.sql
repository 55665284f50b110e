-- Adds the authorizations that are missing (lock/30-difference.sql). Only the difference is touched.
INSERT INTO project_authorizations (user_id, project_id, access_level)
SELECT m.user_id, m.project_id, m.access_level
FROM jsonb_to_recordset(current_setting('pruned.missing')::jsonb) AS m (user_id bigint, project_id bigint, access_level int)
ORDER BY m.user_id, m.project_id
ON CONFLICT DO NOTHING
