-- Objects whose rows somebody else has removed leave the quarantine. Fast by its key on (job, item) and by primary key.
DELETE FROM pruned.quarantine q
WHERE q.job = 'ci.delete_objects'
  AND NOT EXISTS (SELECT FROM ci_deleted_objects o WHERE o.id = pg_catalog.split_part(q.item, ':', 2)::bigint)
