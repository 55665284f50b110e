-- Rows of {table} that the sentence names, in the order of the primary key. Fast if they are many,
-- by the primary key, which is read from the cursor on; if they are few, by an index that fits the
-- condition. `:until`: where a range of the run ends.
SELECT {key} AS key, {cursor}
FROM {table}
WHERE {from} AND ({begins} OR {after})
  AND ({endless} OR {until})
  AND ({found})
ORDER BY {order}
LIMIT :limit::int
