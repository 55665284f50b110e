-- Stops everything, for all processes. A stop that stands keeps its time, if it has one; a new
-- reason replaces the old one, with whoever gave it. `changed`: it did not stand as it does now.
WITH was AS MATERIALIZED (SELECT s.stopped, s.cancel, s.reason FROM pruned.stop s),
put AS (
  INSERT INTO pruned.stop AS s (one, stopped, cancel, since, by, reason)
  VALUES (true, true, :cancel::boolean, clock_timestamp(), session_user::text || ' (' || :who::text || ')', :reason::text)
  ON CONFLICT (one) DO UPDATE
  SET stopped = true, cancel = excluded.cancel OR (s.stopped AND s.cancel),
      since = CASE WHEN s.stopped THEN coalesce(s.since, excluded.since) ELSE excluded.since END,
      by = CASE WHEN s.stopped AND excluded.reason IS NULL THEN coalesce(s.by, excluded.by) ELSE excluded.by END,
      reason = CASE WHEN s.stopped THEN coalesce(excluded.reason, s.reason) ELSE excluded.reason END
  RETURNING s.since, s.by, s.reason, s.cancel)
SELECT p.since, p.by, p.reason,
       NOT EXISTS (SELECT FROM was w WHERE w.stopped AND w.cancel IS NOT DISTINCT FROM p.cancel AND w.reason IS NOT DISTINCT FROM p.reason) AS changed
FROM put p
