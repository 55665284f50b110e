-- After the database's clock was ahead: times written then are in the future. Such a time is set to
-- now, and a due time to now plus its original delay. Locked rows are left to the next look. A run
-- never starts before its T (nor a timer before its day, by the fence). Requests of refreshes do
-- not store when they were made: none is delayed for longer than its setting.
WITH late AS MATERIALIZED (
  SELECT run_id FROM pruned.runs
  WHERE state = 'waiting' AND due_at > now() + interval '1 s' AND changed_at > now() + interval '1 s'
  FOR NO KEY UPDATE SKIP LOCKED),
runs AS (
  UPDATE pruned.runs r
  SET due_at = greatest(r.scheduled_at, now() + greatest(r.due_at - r.changed_at, interval '0')), changed_at = now()
  FROM late WHERE r.run_id = late.run_id RETURNING 1),
ended_late AS MATERIALIZED (
  SELECT run_id FROM pruned.runs WHERE finished_at > now() + interval '1 s' FOR NO KEY UPDATE SKIP LOCKED),
ended AS (
  UPDATE pruned.runs r SET finished_at = now(), changed_at = now() FROM ended_late e WHERE r.run_id = e.run_id RETURNING 1),
asked_late AS MATERIALIZED (
  SELECT user_id, kind, now() + (CASE kind WHEN 'todos' THEN :todos_ms::bigint ELSE :refresh_ms::bigint END)::float8 * interval '1 ms' AS latest
  FROM pruned.dirty_users
  WHERE due_at > now() + (CASE kind WHEN 'todos' THEN :todos_ms::bigint ELSE :refresh_ms::bigint END)::float8 * interval '1 ms' + interval '1 s'
  FOR NO KEY UPDATE SKIP LOCKED),
asked AS (
  UPDATE pruned.dirty_users d SET due_at = a.latest
  FROM asked_late a WHERE d.user_id = a.user_id AND d.kind = a.kind RETURNING 1),
tried_late AS MATERIALIZED (
  SELECT job, item FROM pruned.quarantine WHERE next_try_at > now() + interval '25 hours' FOR NO KEY UPDATE SKIP LOCKED),
tried AS (
  UPDATE pruned.quarantine q SET next_try_at = now() FROM tried_late t WHERE q.job = t.job AND q.item = t.item RETURNING 1),
blocked_late AS MATERIALIZED (
  SELECT job, key FROM pruned.blocked WHERE at > now() + interval '1 s' FOR NO KEY UPDATE SKIP LOCKED),
blocked AS (
  UPDATE pruned.blocked b SET at = now(), next_try_at = now() FROM blocked_late l WHERE b.job = l.job AND b.key = l.key RETURNING 1),
suspects_late AS MATERIALIZED (
  SELECT topic, partition, "offset" FROM pruned.suspects WHERE at > now() + interval '1 s' FOR NO KEY UPDATE SKIP LOCKED),
suspects AS (
  UPDATE pruned.suspects s SET at = now() FROM suspects_late l
  WHERE s.topic = l.topic AND s.partition = l.partition AND s."offset" = l."offset" RETURNING 1),
seen_late AS MATERIALIZED (
  SELECT id FROM pruned.processes WHERE seen_at > now() + interval '1 s' FOR NO KEY UPDATE SKIP LOCKED),
seen AS (
  UPDATE pruned.processes p SET seen_at = now() FROM seen_late l WHERE p.id = l.id RETURNING 1)
SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM ended) + (SELECT count(*) FROM asked) + (SELECT count(*) FROM tried)
     + (SELECT count(*) FROM blocked) + (SELECT count(*) FROM suspects) + (SELECT count(*) FROM seen) AS n
