-- The work that is left: runs that have not ended and do not wait for a retry or a later day, and
-- requests for a refresh of authorizations; the number of ticks that have become runs; and, for the
-- live line, the progress.
SELECT (SELECT count(*) FROM pruned.runs
        WHERE state = 'ready' OR (state = 'waiting' AND (error IS NULL OR error LIKE 'throttled: %') AND due_at < now() + interval '10 s')) AS runs,
       (SELECT count(*) FROM pruned.runs WHERE parent_id IS NULL AND range_of IS NULL) AS begun,
       (SELECT count(*) FROM pruned.dirty_users WHERE due_at < now() + interval '10 s') AS dirty,
       (SELECT count(*) FROM pruned.dirty_users WHERE due_at <= now()) AS dirty_due,
       (SELECT count(*) FROM members WHERE expires_at <= (now() AT TIME ZONE 'UTC')::date) AS expired,
       (SELECT coalesce(pg_catalog.sum(pg_catalog.jsonb_array_length(keys)), 0) FROM pruned.deletions WHERE action = 'deleted') AS rows,
       (SELECT count(*) FROM pruned.runs WHERE state = 'finished') AS finished
