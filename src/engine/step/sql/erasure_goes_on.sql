-- Part of statements: the run `r` of an erasure has something to do. It waits for its runs: for the
-- last one to have tried all of its rows while there are jobs to begin, then for all to have ended,
-- or to wait for rows that are held (row_again.h), or that are not tried again by themselves. By
-- the index on parent_id.
r.waits_for = 'runs' AND r.state || '' = 'waiting'
AND NOT EXISTS (
  SELECT FROM pruned.runs c
  WHERE c.parent_id = r.run_id AND c.finished_at IS NULL
    AND (c.waits_for IS NULL
         OR (r.cursor ->> 'begun')::int >= (r.cursor ->> 'of')::int
            AND NOT (coalesce(c.error, '') LIKE 'kept: %' AND c.due_at > now())
            AND NOT EXISTS (SELECT FROM pruned.quarantine q WHERE q.parked AND q.item = c.waits_for AND q.job = c.job)))
