-- Objects that were ready at T, that nobody has written since the run was asked for, and that are
-- still there: a slot ends when no object is ready. What a lease has touched (`:seen`) is not among
-- them, and what fails or is locked is in quarantine. Fast by the index on pick_up_at.
SELECT 'ci_deleted_objects' AS tab, o.id::text AS key, pg_catalog.format('it is ready since %s, and still there', o.pick_up_at) AS wrong
FROM ci_deleted_objects o
WHERE o.pick_up_at < :scheduled_at::timestamptz AND pg_catalog.age(o.xmin) > pg_catalog.age(:seen::text::xid8::xid)
