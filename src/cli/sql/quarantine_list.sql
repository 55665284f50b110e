-- Items that failed; unless all are asked for, those that are parked.
SELECT job, item, reason, attempts, parked, next_try_at
FROM pruned.quarantine
WHERE parked OR :all::boolean
ORDER BY job, first_at, item
