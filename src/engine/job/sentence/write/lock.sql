-- Locks rows of {table} by primary key, so that the decision about them still holds when it is
-- applied.
SELECT count(*) AS locked FROM (SELECT FROM {table} JOIN {keys} ON {match} ORDER BY {order} FOR UPDATE OF {own}) AS pruned_l
