-- Empties what refers to rows that go ({why}), so that it is recorded.
UPDATE {child}
SET {set_empty}
FROM (SELECT {child_old}, {child_row} AS pruned_row{owner_below} FROM {child} JOIN ({rows}) AS pruned_p ON {on}{going}) AS pruned_o
WHERE {child_same}
RETURNING {child_key} AS key, pruned_o.pruned_row AS row{owner}
