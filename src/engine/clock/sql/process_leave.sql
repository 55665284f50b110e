-- The process ends in order.
DELETE FROM pruned.processes WHERE id = :id::uuid
