-- Lets a held run go, for a day and the counted rows plus 1 %. The message is sent after the commit
-- (run_send.h); if that fails, the process that has the lane finds the run. It continues with the
-- next step, so that being held again gets another outcome. This version of its job is known from
-- now on.
WITH known AS (
  INSERT INTO pruned.approved_versions (job, version, run_id)
  SELECT r.job, coalesce(r.held ->> 'known_as', r.held ->> 'version'), r.run_id FROM pruned.runs r WHERE r.run_id = :run_id::uuid AND r.held ->> 'version' IS NOT NULL
  ON CONFLICT DO NOTHING)
UPDATE pruned.runs
SET state = CASE WHEN :earliest::timestamptz > now() THEN 'waiting' ELSE 'ready' END, step = step + 1, error = NULL, due_at = greatest(now(), :earliest::timestamptz),
    approved_at = now(), approved_until = now() + interval '24 hours', approved_rows = pg_catalog.floor(coalesce((held ->> 'counted')::numeric, 0) * 1.01),
    approved_reason = :reason::text, held = NULL,
    published_at = CASE WHEN :sent::boolean AND :earliest::timestamptz <= now() THEN clock_timestamp() END, changed_at = now()
WHERE run_id = :run_id::uuid
RETURNING run_id, state, step, attempts, slot, args, cursor, progress, (extract(epoch FROM scheduled_at) * 1000000.0)::bigint AS scheduled_at,
          (extract(epoch FROM due_at) * 1000000.0)::bigint AS due_at, approved_rows
