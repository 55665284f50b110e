-- Stops everything, for all processes. A stop that stands keeps its time and who it is by, if it
-- has them; a new reason replaces the old one.
INSERT INTO pruned.stop AS s (one, stopped, cancel, since, by, reason)
VALUES (true, true, :cancel::boolean, clock_timestamp(), session_user::text || ' (' || :who::text || ')', :reason::text)
ON CONFLICT (one) DO UPDATE
SET stopped = true, cancel = excluded.cancel OR (s.stopped AND s.cancel),
    since = CASE WHEN s.stopped THEN coalesce(s.since, excluded.since) ELSE excluded.since END,
    by = CASE WHEN s.stopped THEN coalesce(s.by, excluded.by) ELSE excluded.by END,
    reason = CASE WHEN s.stopped THEN coalesce(excluded.reason, s.reason) ELSE excluded.reason END
RETURNING s.since, s.by, s.reason
