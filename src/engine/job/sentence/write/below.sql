-- Deletes the rows of {table} that refer to rows that go ({why}); not those that go for themselves.
DELETE FROM {table}
USING ({rows}) AS pruned_p
WHERE {on}
  AND NOT EXISTS (SELECT FROM {keys} WHERE {match})
RETURNING {key} AS key, {row} AS row{record}{owner}
