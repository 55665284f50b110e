-- The objects that are ready: a slot goes on until there are none. Fast because the index on
-- pick_up_at is read from its beginning, up to the limit.
SELECT count(*) AS n FROM (SELECT FROM ci_deleted_objects WHERE pick_up_at < now() AND
  -- include: free.sql
  ORDER BY pick_up_at LIMIT :limit::bigint) AS r
