-- The number of parked items, of restored rows that are held, and of items that are retried
-- automatically.
SELECT count(*) FILTER (WHERE parked AND reason <> 'restored') AS parked, count(*) FILTER (WHERE parked AND reason = 'restored') AS restored,
       count(*) FILTER (WHERE NOT parked) AS others
FROM pruned.quarantine
