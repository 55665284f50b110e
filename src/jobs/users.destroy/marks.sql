-- The text of a query that locks the user's marks of groups for deletion, so that no deletion
-- begins or goes on meanwhile; NULL: this database has no such marks. Reads the catalogue only.
SELECT CASE WHEN count(*) = 2
       THEN 'SELECT s.group_id FROM group_deletion_schedules s WHERE s.user_id = :user_id::bigint ORDER BY s.group_id FOR NO KEY UPDATE' END AS sql
FROM (VALUES ('group_deletion_schedules', 'user_id'), ('namespace_details', 'deleted_at')) AS w (tab, col)
JOIN pg_attribute a ON a.attrelid = pg_catalog.to_regclass(w.tab) AND a.attname = w.col AND NOT a.attisdropped
