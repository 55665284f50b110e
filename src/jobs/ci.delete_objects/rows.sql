-- Part of count.sql, and of what counts the rows that go or change with these: the objects that are
-- ready. Fast because the index on pick_up_at is read from its beginning, up to the limit.
SELECT ci_deleted_objects.* FROM ci_deleted_objects WHERE pick_up_at < now() AND
  -- include: free.sql
ORDER BY pick_up_at LIMIT :limit::bigint
