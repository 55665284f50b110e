-- The text of a query for whether the user has marked groups for deletion; NULL: this database has
-- no such marks. Reads the catalogue only.
SELECT CASE WHEN EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = pg_catalog.to_regclass('group_deletion_schedules')
                           AND a.attname = 'user_id' AND NOT a.attisdropped)
       THEN 'SELECT EXISTS (SELECT FROM group_deletion_schedules s WHERE s.user_id = :user_id::bigint) AS there' END AS sql
