-- Empties what refers to rows that were chosen ({why}), as many as the files before leave, so that
-- it is recorded. Without a key if that has changed nothing: then it would be done for ever. By
-- place, because the rows are locked.
UPDATE {child}
SET {set_empty}
FROM (SELECT {child_old}, {child_row} AS pruned_row FROM {child} JOIN {chosen} ON {at_place} AND pruned_s.pruned_n <= :portion::bigint - ({before})) AS pruned_o
WHERE {child_same}
RETURNING CASE WHEN {changed} THEN {child_key} END AS key, pruned_o.pruned_row AS row
