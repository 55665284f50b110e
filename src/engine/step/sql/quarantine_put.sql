-- Items that failed: one more attempt, and the time of the next try; parked after the last, and
-- since then. A row that has changed since it failed (`state`; empty: not known) starts with no
-- attempts, and so does one that was only busy. `wait_ms`: until it is tried again; a day at a time
-- where a parked item never is.
WITH failed AS MATERIALIZED (
  SELECT DISTINCT ON (u.item) u.item, u.reason, nullif(u.state, '') AS state, n.attempts, n.attempts >= u.park_after AS parked
  FROM unnest(:item::text[], :reason::text[], :park_after::int[], :state::text[]) AS u (item, reason, park_after, state)
  LEFT JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item
  CROSS JOIN LATERAL (
    SELECT CASE WHEN q.item IS NULL OR q.reason = 'busy' OR nullif(q.state, '') <> nullif(u.state, '') THEN 1 ELSE q.attempts + 1 END AS attempts) AS n
  ORDER BY u.item, u.park_after
)
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at, state)
SELECT :job::text, t.item, t.reason, t.attempts, t.parked, now() +
       -- include: quarantine_delay.sql
       , t.state
FROM failed t
ORDER BY t.item
ON CONFLICT (job, item) DO UPDATE
SET reason = excluded.reason, attempts = excluded.attempts, parked = excluded.parked, next_try_at = excluded.next_try_at,
    state = excluded.state, first_at = CASE WHEN excluded.attempts = 1 THEN now() ELSE q.first_at END
RETURNING q.item, q.reason, (extract(epoch FROM q.next_try_at - now()) * 1000::numeric)::bigint
       + CASE WHEN q.parked THEN greatest(:park_retry_days::int, 1)::bigint * 86400000 ELSE 0 END AS wait_ms
