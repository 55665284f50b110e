-- Finds, under the lock, authorizations that are superfluous or of another level, and missing ones,
-- and passes both on to the files that change them, in settings of the transaction, so that they
-- are computed once. A step that was cut takes `:rows` pairs of user and project, both changes of a
-- pair or none. `unfinished` are users who have more; `todos` is how many todos can be deleted
-- besides. Fast like wanted.sql.
WITH
-- include: ../wanted.sql
,
stale AS (SELECT * FROM present EXCEPT SELECT * FROM wanted),
missing AS (SELECT * FROM wanted EXCEPT SELECT * FROM present),
changed AS (SELECT user_id, project_id FROM stale UNION SELECT user_id, project_id FROM missing),
taken AS MATERIALIZED (SELECT user_id, project_id FROM changed WHERE :rows::bigint IS NOT NULL ORDER BY user_id, project_id LIMIT :rows::bigint),
left_over AS (SELECT user_id, project_id FROM changed WHERE :rows::bigint IS NOT NULL EXCEPT SELECT user_id, project_id FROM taken)
SELECT pg_catalog.set_config('pruned.stale', (SELECT coalesce(pg_catalog.jsonb_agg(s), '[]') FROM stale s
                                   WHERE :rows::bigint IS NULL OR (user_id, project_id) IN (SELECT user_id, project_id FROM taken))::text, true)
         IS NOT NULL AS stale,
       pg_catalog.set_config('pruned.missing', (SELECT coalesce(pg_catalog.jsonb_agg(m), '[]') FROM missing m
                                     WHERE :rows::bigint IS NULL OR (user_id, project_id) IN (SELECT user_id, project_id FROM taken))::text, true)
         IS NOT NULL AS missing,
       pg_catalog.set_config('pruned.unfinished', ARRAY(SELECT DISTINCT user_id FROM left_over)::text, true) IS NOT NULL AS unfinished,
       pg_catalog.set_config('pruned.todos', coalesce((:rows::bigint - (SELECT count(*) FROM taken))::text, ''), true) IS NOT NULL AS todos
