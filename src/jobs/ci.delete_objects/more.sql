-- Whether any object is ready: one look at the index on pick_up_at from where this step ended, then
-- one before that. `:kept` as in lease.sql.
WITH from_here AS MATERIALIZED (
  SELECT EXISTS (SELECT FROM ci_deleted_objects
                 WHERE pick_up_at >= coalesce(:reached::timestamptz, '-infinity') AND pick_up_at < now() AND id <> ALL (:kept::bigint[]) AND
                 -- include: free.sql
                ) AS ahead)
SELECT ahead,
       ahead OR EXISTS (SELECT FROM ci_deleted_objects WHERE pick_up_at < :reached::timestamptz AND pick_up_at < now() AND id <> ALL (:kept::bigint[]) AND
                        -- include: free.sql
                       ) AS more
FROM from_here
