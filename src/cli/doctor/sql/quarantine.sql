-- The number of parked items, of restored rows that are held, and of items that are retried
-- automatically. Rows that were busy are a finding of their own (busy.sql).
SELECT count(*) FILTER (WHERE parked AND reason <> 'restored') AS parked, count(*) FILTER (WHERE parked AND reason = 'restored') AS restored,
       count(*) FILTER (WHERE NOT parked AND reason <> 'busy') AS others
FROM pruned.quarantine
