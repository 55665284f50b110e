-- The number of parked items, of items that are retried automatically, and of rows that are held
-- after a restore, which are none of them. Rows that were busy are a finding of their own
-- (busy.sql).
SELECT count(*) FILTER (WHERE parked AND reason <> 'restored') AS parked,
       (SELECT count(*) FROM pruned.holds h WHERE h.kind = 'restored') AS restored,
       count(*) FILTER (WHERE NOT parked AND reason <> 'busy') AS others
FROM pruned.quarantine
