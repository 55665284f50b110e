-- Part of statements: the run `r` ended more than an hour ago and is in nobody's way. An hour is
-- longer than any transaction, so no intake can have missed it. A run that has not got what its
-- ranges have done stays (ranges_left.sql); so do the runs of an erasure that is open, and an
-- erasure while one of its runs is.
r.finished_at IS NOT NULL AND r.finished_at < now() - interval '1 hour' AND r.state || '' IN ('finished', 'skipped') AND r.range_of IS NULL
AND NOT EXISTS (SELECT FROM pruned.runs g WHERE g.range_of = r.run_id)
AND NOT EXISTS (SELECT FROM pruned.runs e WHERE e.run_id = r.parent_id AND e.waits_for = 'runs' AND e.finished_at IS NULL)
AND NOT (r.args ? 'values' AND EXISTS (SELECT FROM pruned.runs c WHERE c.parent_id = r.run_id AND c.finished_at IS NULL))
