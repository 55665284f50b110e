-- Deletes the rows of {child} that refer to rows that go ({why}).
DELETE FROM {child}
USING ({rows}) AS pruned_p
WHERE {on}
RETURNING {child_key} AS key, {child_row} AS row{owner}
