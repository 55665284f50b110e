-- Ends the stop. A row: there was one.
UPDATE pruned.stop SET stopped = false, cancel = false WHERE stopped RETURNING since, by, reason
