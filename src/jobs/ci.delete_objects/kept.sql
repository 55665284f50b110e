-- Which of these rows are still there under this step's lease. By primary key.
SELECT o.id FROM ci_deleted_objects o WHERE o.id = ANY (:id::bigint[]) AND o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz
