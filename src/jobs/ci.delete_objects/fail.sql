-- Counts objects that could not be deleted in quarantine. Their next retry is when their lease
-- ends; a day later once they have failed ten times or can never be deleted. Fast by primary key.
WITH failed AS (
  SELECT f.id, f.reason, f.final
  FROM unnest(:id::bigint[], :reason::text[], :final::bool[]) AS f (id, reason, final)),
counted AS (
  INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked, next_try_at)
  SELECT :job::text, 'ci_deleted_objects:' || f.id::text, f.reason, 1, f.final OR :setting.item_attempts::int <= 1,
         CASE WHEN f.final OR :setting.item_attempts::int <= 1 THEN now() + interval '1 day' ELSE :lease::timestamptz END
  FROM failed f ORDER BY f.id
  ON CONFLICT (job, item) DO UPDATE
  SET reason = excluded.reason, attempts = CASE q.reason WHEN 'busy' THEN 0 ELSE q.attempts END + 1,
      parked = excluded.parked OR q.reason <> 'busy' AND q.attempts + 1 >= :setting.item_attempts::int,
      next_try_at = CASE WHEN excluded.parked OR q.reason <> 'busy' AND q.attempts + 1 >= :setting.item_attempts::int
                         THEN now() + interval '1 day' ELSE excluded.next_try_at END
  RETURNING q.item, q.parked, q.next_try_at)
UPDATE ci_deleted_objects o SET pick_up_at = c.next_try_at
FROM failed f JOIN counted c ON c.item = 'ci_deleted_objects:' || f.id::text
WHERE c.parked AND o.id = f.id AND o.pick_up_at IS NOT DISTINCT FROM :lease::timestamptz
