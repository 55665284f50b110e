-- Is anything ready still? One look at the index on pick_up_at from where this step came to, then one before it.
SELECT EXISTS (SELECT FROM ci_deleted_objects
               WHERE pick_up_at >= coalesce(:reached::timestamptz, '-infinity') AND pick_up_at < now())
       OR EXISTS (SELECT FROM ci_deleted_objects WHERE pick_up_at < :reached::timestamptz AND pick_up_at < now()) AS more
