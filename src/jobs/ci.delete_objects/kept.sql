-- Which of these rows still exist under this step's lease, or are ready again although it has not
-- ended (`again`): a trigger has set it back. Fast by primary key.
SELECT o.id, o.pick_up_at IS DISTINCT FROM :lease::timestamptz AS again FROM ci_deleted_objects o
WHERE o.id = ANY (:id::bigint[]) AND (o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz OR o.pick_up_at < now() AND :lease::timestamptz > now())
