-- Finds, under the lock, authorizations that are superfluous or of another level, and missing ones,
-- and passes both on to the files that change them, in settings of the transaction, so that they
-- are computed once: `stale` is {users, projects, levels}, `missing` {users, projects}. A step that
-- was cut takes `:rows` pairs of user and project, both changes of a pair or none. `unfinished` are
-- users who have more; `todos` is how many todos can be deleted besides. Fast like wanted.sql.
WITH
-- include: ../wanted.sql
,
differs AS MATERIALIZED (
  SELECT user_id, project_id, access_level, p.user_id IS NOT NULL AS stale
  FROM present p FULL JOIN wanted w USING (user_id, project_id, access_level)
  WHERE p.user_id IS NULL OR w.user_id IS NULL
),
changed AS (SELECT DISTINCT user_id, project_id FROM differs),
taken AS MATERIALIZED (SELECT user_id, project_id FROM changed WHERE :rows::bigint IS NOT NULL ORDER BY user_id, project_id LIMIT :rows::bigint),
left_over AS (SELECT user_id, project_id FROM changed WHERE :rows::bigint IS NOT NULL EXCEPT SELECT user_id, project_id FROM taken),
listed AS (
  SELECT pg_catalog.array_agg(d.user_id) FILTER (WHERE d.stale) AS stale_users, pg_catalog.array_agg(d.project_id) FILTER (WHERE d.stale) AS stale_projects,
         pg_catalog.array_agg(d.access_level::bigint) FILTER (WHERE d.stale) AS stale_levels,
         pg_catalog.array_agg(d.user_id) FILTER (WHERE NOT d.stale) AS missing_users, pg_catalog.array_agg(d.project_id) FILTER (WHERE NOT d.stale) AS missing_projects
  FROM differs d WHERE :rows::bigint IS NULL OR (d.user_id, d.project_id) IN (SELECT user_id, project_id FROM taken)
)
SELECT pg_catalog.set_config('pruned.stale', ARRAY[stale_users, stale_projects, stale_levels]::text, true) IS NOT NULL AS stale,
       pg_catalog.set_config('pruned.missing', ARRAY[missing_users, missing_projects]::text, true) IS NOT NULL AS missing,
       pg_catalog.set_config('pruned.unfinished', ARRAY(SELECT DISTINCT user_id FROM left_over)::text, true) IS NOT NULL AS unfinished,
       pg_catalog.set_config('pruned.todos', coalesce((:rows::bigint - (SELECT count(*) FROM taken))::text, ''), true) IS NOT NULL AS todos
FROM listed
