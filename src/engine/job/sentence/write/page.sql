-- Rows of {table} that the sentence names, in the order of the primary key. Fast if they are many,
-- by the primary key, which is read from the cursor on; if they are few, by an index that fits the
-- condition. `:until`: where a range of the run ends.
SELECT {key} AS key, {cursor}
FROM {table}
WHERE {pk} >= {from} AND ({begins} OR {pk} > {after})
  AND ({endless} OR {pk} <= {until})
  AND ({due})
ORDER BY {order}
LIMIT :limit::int
