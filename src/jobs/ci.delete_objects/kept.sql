-- Which of these rows still exist under this step's lease. Fast by primary key.
SELECT o.id FROM ci_deleted_objects o WHERE o.id = ANY (:id::bigint[]) AND o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz
