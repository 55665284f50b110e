-- Items that wait for somebody, and items that come again by themselves.
SELECT count(*) FILTER (WHERE parked) AS parked, count(*) FILTER (WHERE NOT parked) AS others FROM pruned.quarantine
