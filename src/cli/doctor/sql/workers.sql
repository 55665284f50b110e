-- Sessions of the application's own background workers: their application_name or last statement
-- (frameworks write the class into its comment) names the class that one of our jobs replaces; or
-- they look like workers, and their last statement deletes from or updates a table of our jobs. If
-- there are none, one row of totals with worker null.
WITH session AS MATERIALIZED (
  SELECT a.pid, a.application_name AS name, a.query, a.query IS NULL OR a.query = '<insufficient privilege>' AS hidden
  FROM pg_stat_activity a
  WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
    AND NOT
    -- include: ../../../engine/step/sql/own_session.sql
),
found AS (
  SELECT DISTINCT ON (s.pid) s.pid, s.name, s.query, w.worker
  FROM session s
  CROSS JOIN LATERAL (
    SELECT u.worker, 1 AS rank FROM pg_catalog.unnest(:worker::text[]) AS u (worker)
    WHERE pg_catalog.strpos(s.name, u.worker) > 0 OR pg_catalog.strpos(s.query, u.worker) > 0
    UNION ALL
    SELECT 'a worker that writes to ' || u.relation, 2 FROM pg_catalog.unnest(:relation::text[]) AS u (relation)
    WHERE s.name ~* '(sidekiq|resque|good_job|delayed|worker|cron)'
      AND s.query ~* ('(delete\s+from|update)\s+("?\w+"?\.)?"?' || u.relation || '"?(\s|$)')
  ) AS w
  ORDER BY s.pid, w.rank, w.worker
)
SELECT t.sessions, t.hidden, f.pid, f.name, pg_catalog.left(pg_catalog.regexp_replace(f.query, '\s+', ' ', 'g'), 120) AS query, f.worker,
       pg_catalog.array_to_string(:worker::text[], ' ') AS classes
FROM (SELECT count(*) AS sessions, count(*) FILTER (WHERE hidden) AS hidden FROM session) AS t
LEFT JOIN found f ON true
ORDER BY f.pid
