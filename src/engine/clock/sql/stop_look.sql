-- The stop in force; no row: nothing is stopped. One row, by primary key, twice a second.
SELECT s.since::text AS since, s.by, s.reason, s.cancel FROM pruned.stop s WHERE s.one AND s.stopped
