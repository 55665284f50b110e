-- Notes of a partition whether its detach is the daemon's own: true before it begins, false if it
-- has failed. Only while it is attached, unless `refused`: PostgreSQL has refused the daemon's own.
-- Returns a row if that is noted; `attached`: whether it is still so.
UPDATE pruned.partitions r SET detaching = :detaching::boolean
FROM (SELECT EXISTS (SELECT FROM pruned.partitions o JOIN pg_inherits i ON i.inhrelid = o.relid AND i.inhparent = o.parent
                     WHERE o.relid = :relid::oid AND NOT i.inhdetachpending) AS attached) AS s
WHERE r.job = :job::text AND r.relid = :relid::oid AND (:refused::boolean OR s.attached)
RETURNING s.attached
