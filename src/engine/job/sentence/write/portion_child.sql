-- Deletes rows of {child} that were chosen, as many as the files before leave, if nothing refers to
-- them any more. By place, because they are locked.
DELETE FROM {child}
USING {chosen}
WHERE {at_place}
  AND pruned_s.pruned_n <= :portion::bigint - ({before}){is_free}
RETURNING {child_key} AS key, {child_row} AS row
