-- Items that failed: one more attempt; the next try after n^4 + 15 + rand(0..9) * (n + 1) seconds, at most a day; parked after the last, and
-- since then. A row that has changed since it failed (`state`; empty: not known) starts with no attempts.
WITH failed AS MATERIALIZED (
  SELECT DISTINCT ON (u.item) u.item, u.reason, u.park_after, nullif(u.state, '') AS state,
         CASE WHEN q.item IS NULL OR nullif(q.state, '') <> nullif(u.state, '') THEN 1 ELSE q.attempts + 1 END AS attempts
  FROM unnest(:item::text[], :reason::text[], :park_after::int[], :state::text[]) AS u (item, reason, park_after, state)
  LEFT JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item
  ORDER BY u.item, u.park_after
)
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at, state)
SELECT :job::text, f.item, f.reason, f.attempts, f.attempts >= f.park_after,
       now() + CASE WHEN f.attempts >= f.park_after THEN 0
                    ELSE least(86400::float8, pg_catalog.power(f.attempts - 1, 4) + 15::float8 + pg_catalog.floor(random() * 10::float8) * f.attempts::float8) END * interval '1 s', f.state
FROM failed f
ORDER BY f.item
ON CONFLICT (job, item) DO UPDATE
SET reason = excluded.reason, attempts = excluded.attempts, parked = excluded.parked, next_try_at = excluded.next_try_at,
    state = excluded.state, first_at = CASE WHEN excluded.attempts = 1 THEN now() ELSE q.first_at END
