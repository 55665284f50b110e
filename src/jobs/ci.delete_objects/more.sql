-- Is anything ready still? One look at the beginning of the index on pick_up_at.
SELECT EXISTS (SELECT FROM ci_deleted_objects WHERE pick_up_at < now()) AS more
