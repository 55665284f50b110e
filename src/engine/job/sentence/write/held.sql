-- Locks those rows of {table} that an earlier try found changed. The others need no lock: apply
-- checks each of them again.
SELECT count(*) AS locked FROM (SELECT FROM {table} JOIN {held} ON {match} ORDER BY {order} FOR UPDATE OF {own}) AS pruned_l
