-- The number of parked items, and of items that are retried automatically. Rows that are held after
-- a restore are none of them (holds.sql). Rows that were busy are a finding of their own
-- (busy.sql).
SELECT count(*) FILTER (WHERE parked AND reason <> 'restored') AS parked,
       count(*) FILTER (WHERE NOT parked AND reason <> 'busy') AS others
FROM pruned.quarantine
