-- Scheduled member removals that are left; no more than a thousand are counted.
SELECT count(*)::float8 AS value FROM (SELECT FROM members_deletion_schedules LIMIT 1000) AS s
