-- Keeps a plan, and of this job's plans the last five.
WITH put AS (
  INSERT INTO pruned.plans (job, at, scheduled_at, summary, lines)
  VALUES (:job::text, pg_catalog.clock_timestamp(), :scheduled_at::timestamptz, :summary::jsonb, :lines::jsonb)
  ON CONFLICT DO NOTHING
)
DELETE FROM pruned.plans p
WHERE p.job = :job::text
  AND p.at NOT IN (SELECT k.at FROM pruned.plans k WHERE k.job = :job::text ORDER BY k.at DESC LIMIT 4)
