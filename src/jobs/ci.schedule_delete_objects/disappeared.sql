-- Removes quarantine entries of objects whose rows another program has deleted. Fast by the key on
-- (job, item) and by primary key.
DELETE FROM pruned.quarantine q
WHERE q.job = 'ci.delete_objects'
  AND NOT EXISTS (SELECT FROM ci_deleted_objects o WHERE o.id = pg_catalog.split_part(q.item, ':', 2)::bigint)
