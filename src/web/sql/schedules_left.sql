-- Scheduled member removals that are left, counted up to a thousand.
SELECT count(*)::float8 AS value FROM (SELECT FROM members_deletion_schedules LIMIT 1000) AS s
