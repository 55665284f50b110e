-- The age of the oldest object that is ready to be deleted. Reads the first entry of the index on
-- pick_up_at that has an age: -infinity has none.
SELECT coalesce(extract(epoch FROM now() - pg_catalog.min(pick_up_at)), 0)::float8 AS value
FROM ci_deleted_objects WHERE pick_up_at > '-infinity' AND pick_up_at < now()
