-- Locks the authorizations to be deleted. This waits for transactions that change one of them, so
-- what they gave is seen. Fast by primary key.
SELECT count(*) AS held FROM (
  SELECT FROM (
    -- include: ../stale.sql
  ) AS s
  JOIN project_authorizations a ON a.user_id = s.user_id AND a.project_id = s.project_id AND a.access_level = s.access_level
  ORDER BY a.user_id, a.project_id, a.access_level FOR UPDATE OF a) AS h
