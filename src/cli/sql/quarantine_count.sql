-- The number of parked items, of items that are retried automatically, and of rows that are held
-- after a restore: these are none of quarantine.
SELECT count(*) FILTER (WHERE parked AND reason <> 'restored') AS parked, count(*) FILTER (WHERE NOT parked) AS others,
       (SELECT count(*) FROM pruned.holds h WHERE h.kind = 'restored') AS restored
FROM pruned.quarantine
