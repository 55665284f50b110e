-- A row that is back is no longer in the archive. One row for each key: an archive without a unique
-- key can hold older rows of the same key. It is the one that has the values of the row that is
-- back, or else the newest. By the key, then by place.
WITH pruned_one AS MATERIALIZED (
  SELECT DISTINCT ON (pruned_k.pruned_pos) pruned_a.tableoid AS pruned_part, pruned_a.ctid AS pruned_place
  FROM {keys}
  JOIN {archive} AS pruned_a ON {archive_match}
  LEFT JOIN {table} AS pruned_t ON {archive_back}
  ORDER BY pruned_k.pruned_pos, ({archive_same}) DESC, pg_catalog.age(pruned_a.xmin)
)
DELETE FROM {archive} AS pruned_d
USING pruned_one
WHERE pruned_d.tableoid = pruned_one.pruned_part AND pruned_d.ctid = pruned_one.pruned_place
  AND pruned_d.ctid = ANY (ARRAY(SELECT pruned_one.pruned_place FROM pruned_one))
