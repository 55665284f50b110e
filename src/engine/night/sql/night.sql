-- Each job's last night, what is usual, and its state: one row a job, in the order of the names. A
-- night is a day of T (UTC). Of a job whose ticks come more than once a day it is the last day that
-- is over. Fast because the archive has one row a job and day (pruned.nights); pruned.runs, which
-- has what has not ended and the last hour, is read once; of the archive one row a job, by its key.
-- usual: of the last 30 nights before that one in which a run ended well. less: the night did less
-- than ever in these, and less than the job's `least` of their median; judged only of jobs with a
-- schedule, from seven nights on, if the median is ten rows, and if at most a quarter had none.
-- overdue: what is known of rows past their deadline (step/overdue.h): of `:overdue`, by job, else
-- of the last look that a process has had. `goes`: it is the job that does not come, which its
-- state says. A job that was removed stays in the list as long as its rule does.
-- A process that has just begun may still fire what is late. state: the worst that holds. needs:
-- somebody has to look. A row that fails is tried again by itself: somebody has to look if it is
-- parked, fails for a day, or if no other row of its run went.
WITH
-- include: overdue.sql
,
alive AS MATERIALIZED (SELECT p.jobs, p.started_at < now() - interval '1 minute' AS settled FROM pruned.processes p WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'),
jobs AS (
  SELECT j.job, j.interval_s, j.least, j.mode, j.catches_up, j.position
  FROM unnest(:job::text[], :interval_s::float8[], :least::float8[], :mode::text[], :catches_up::boolean[])
       WITH ORDINALITY AS j (job, interval_s, least, mode, catches_up, position)
  UNION ALL
  SELECT o.job, 0, -1, 'removed', false, 1000000::bigint + pg_catalog.row_number() OVER (ORDER BY o.job)
  FROM pruned.overdue o WHERE NOT o.job = ANY (:job::text[]) AND NOT EXISTS (SELECT FROM alive a WHERE a.jobs ? o.job)),
past AS (
  SELECT j.job, d.found, d.of_them,
         CASE WHEN d.of_them IS NOT NULL THEN coalesce((SELECT pg_catalog.sum(r.value::bigint) FROM pg_catalog.jsonb_each_text(d.of_them) AS r WHERE r.key NOT
-- include: may_stay.sql
         ), 0) END AS missed
  FROM jobs j
  CROSS JOIN LATERAL (
    SELECT f.found, CASE WHEN NOT f.found ? 'state' THEN f.found -> 'rows' END AS of_them
    FROM (SELECT coalesce(:overdue::jsonb -> j.job,
                          (SELECT o.found FROM pruned.overdue o WHERE o.job = j.job AND o.looked_at > now() - :known_s::bigint::float8 * interval '1 s')) AS found) AS f) AS d),
-- include: ended.sql
,
recent AS (
  -- include: nights.sql
),
nights AS (
  SELECT n.day, n.job, pg_catalog.sum(n.runs)::bigint AS runs, pg_catalog.sum(n.rows)::bigint AS rows, pg_catalog.sum(n.failed)::bigint AS failed,
         (pg_catalog.array_agg(n.last_run_id ORDER BY n.last_ended DESC))[1] AS last_run_id,
         (pg_catalog.array_agg(n.last_at ORDER BY n.last_ended DESC))[1] AS last_at, pg_catalog.max(n.last_ended) AS last_ended
  FROM (SELECT * FROM recent
        UNION ALL
        SELECT * FROM pruned.nights o WHERE o.day > least((now() AT TIME ZONE 'UTC')::date - 60, :since::date - 1)) AS n
  GROUP BY n.day, n.job),
night AS (
  SELECT DISTINCT ON (j.job) j.job, n.day, n.runs, n.rows, n.failed
  FROM jobs j JOIN nights n ON n.job = j.job
  WHERE j.interval_s = 0::float8 OR j.interval_s >= 72000::float8 OR n.day < (now() AT TIME ZONE 'UTC')::date
  ORDER BY j.job, n.day DESC),
usual AS (
  SELECT b.job, count(*) AS nights, pg_catalog.percentile_cont(0.5) WITHIN GROUP (ORDER BY b.rows::float8) AS median,
         pg_catalog.min(b.rows) AS low, pg_catalog.max(b.rows) AS high, count(*) FILTER (WHERE b.rows = 0) AS empty
  FROM (SELECT n.job, n.rows, pg_catalog.row_number() OVER (PARTITION BY n.job ORDER BY n.day DESC) AS nth
        FROM night l JOIN nights n ON n.job = l.job AND n.day < l.day AND n.runs > 0) AS b
  WHERE b.nth <= 30
  GROUP BY b.job),
since AS (
  SELECT n.job, pg_catalog.sum(n.runs)::bigint AS runs, pg_catalog.sum(n.rows)::bigint AS rows, pg_catalog.sum(n.failed)::bigint AS failed
  FROM nights n WHERE n.day >= :since::date GROUP BY n.job),
last AS (SELECT DISTINCT ON (n.job) n.job, n.last_run_id, n.last_at, n.last_ended FROM nights n ORDER BY n.job, n.last_ended DESC),
open AS (
  SELECT r.job, count(*) FILTER (WHERE r.state IN ('waiting', 'ready')) AS unfinished,
         pg_catalog.min(r.scheduled_at) FILTER (WHERE r.state IN ('waiting', 'ready') AND r.due_at <= now() AND r.parent_id IS NULL) AS oldest_at,
         pg_catalog.max(r.attempts) FILTER (WHERE r.state IN ('waiting', 'ready')) AS attempts,
         count(*) FILTER (WHERE r.state = 'held') AS held,
         (pg_catalog.array_agg(r.run_id ORDER BY r.created_at, r.run_id) FILTER (WHERE r.state = 'held'))[1] AS held_run_id,
         (pg_catalog.array_agg(coalesce(r.held ->> 'limit', 'a limit') || CASE WHEN r.held ->> 'approvals' IS NULL THEN '' ELSE pg_catalog.format('; %s of %s approvals', pg_catalog.jsonb_array_length(coalesce(r.held -> 'approved_by', '[]')), r.held ->> 'approvals') END ORDER BY r.created_at, r.run_id) FILTER (WHERE r.state = 'held'))[1] AS held_by,
         count(*) FILTER (WHERE r.state = 'dead') AS dead,
         (pg_catalog.array_agg(r.run_id ORDER BY r.created_at DESC, r.run_id) FILTER (WHERE r.state = 'dead'))[1] AS dead_run_id,
         (pg_catalog.array_agg(r.error ORDER BY r.created_at DESC, r.run_id) FILTER (WHERE r.state = 'dead'))[1] AS dead_error,
         count(*) FILTER (WHERE r.state IN ('waiting', 'ready') AND r.attempts > 0) AS retrying,
         (pg_catalog.array_agg(r.error ORDER BY r.changed_at DESC, r.run_id) FILTER (WHERE r.state IN ('waiting', 'ready') AND r.attempts > 0))[1] AS retry_error,
         pg_catalog.min(r.due_at) FILTER (WHERE r.state = 'waiting' AND r.attempts > 0) AS retry_at,
         pg_catalog.bool_or(r.state = 'waiting' AND r.error LIKE 'quiet hours%') AS quiet, pg_catalog.bool_or(r.state = 'waiting' AND r.error LIKE 'throttled%') AS throttled,
         (pg_catalog.array_agg(pg_catalog.substr(r.error, 10) ORDER BY r.changed_at DESC, r.run_id) FILTER (WHERE r.state = 'waiting' AND r.error LIKE 'blocked: %'))[1] AS blocked
  FROM pruned.runs r
  WHERE r.range_of IS NULL AND r.state || '' IN ('waiting', 'ready', 'held', 'dead')
  GROUP BY r.job),
late AS (SELECT o.job, count(*) AS runs, pg_catalog.min(o.since) AS since FROM overdue o GROUP BY o.job),
failing AS (
  SELECT f.job, pg_catalog.sum(f.rows)::bigint AS rows, pg_catalog.sum(f.parked)::bigint AS parked, pg_catalog.min(f.first_at) AS since,
         (pg_catalog.array_agg(f.reason ORDER BY f.rows DESC, f.reason))[1] AS reason, pg_catalog.max(f.rows) AS of_it
  FROM (SELECT g.job, w.reason, pg_catalog.sum(g.rows)::bigint AS rows, pg_catalog.sum(g.parked)::bigint AS parked, pg_catalog.min(g.first_at) AS first_at
        FROM (SELECT q.job, q.reason, count(*) AS rows, count(*) FILTER (WHERE q.parked) AS parked, pg_catalog.min(q.first_at) AS first_at
              FROM pruned.quarantine q WHERE q.reason NOT IN ('restored', 'busy') GROUP BY q.job, q.reason) AS g
        CROSS JOIN LATERAL (SELECT coalesce(pg_catalog.substring(g.reason, 'constraint "([^"]+)"'), g.reason) AS reason) AS w
        GROUP BY g.job, w.reason) AS f
  GROUP BY f.job),
outflow AS (
  SELECT d.job, pg_catalog.sum(d.own)::float8 / ((now() AT TIME ZONE 'UTC')::date - pg_catalog.min(d.day))::float8 AS rows
  FROM (SELECT n.job, n.day, 0::bigint AS own FROM nights n
        UNION ALL
        SELECT c.job, c.day, c.n FROM pruned.night_counts c
        WHERE c.tab = '' AND c.name = 'updated_rows' AND c.day BETWEEN (now() AT TIME ZONE 'UTC')::date - 7 AND (now() AT TIME ZONE 'UTC')::date - 1
        UNION ALL
        SELECT e.job, (e.scheduled_at AT TIME ZONE 'UTC')::date, CASE WHEN pg_catalog.jsonb_typeof(e.result -> 'updated_rows') = 'number' THEN (e.result ->> 'updated_rows')::numeric ELSE 0 END
        FROM ended e WHERE coalesce(e.result ->> 'mode', '') <> 'plan') AS d
  WHERE d.day BETWEEN (now() AT TIME ZONE 'UTC')::date - 7 AND (now() AT TIME ZONE 'UTC')::date - 1
  GROUP BY d.job),
facts AS (
  SELECT j.job, j.position, j.mode, j.interval_s, j.least,
         n.day, n.rows, n.runs, n.failed, s.rows AS since_rows, s.runs AS since_runs, s.failed AS since_failed,
         u.nights, u.median, u.low, u.high,
         coalesce(j.interval_s > 0::float8 AND j.least >= 0::float8 AND u.nights >= 7 AND u.median >= 10::float8 AND u.empty * 4 <= u.nights
           AND n.runs > 0 AND n.rows < u.low AND n.rows::float8 < j.least * u.median AND coalesce(o.unfinished + o.held, 0) = 0, false) AS less,
         l.last_run_id, l.last_at, l.last_ended, e.result AS last_result, e.error AS last_error, e.started_at AS last_started,
         w.next_at,
         CASE WHEN j.interval_s > 0::float8 AND w.next_at < now() - interval '1 minute' AND NOT (j.catches_up AND coalesce(o.unfinished, 0) > 0)
              THEN extract(epoch FROM now() - w.next_at)::float8 END AS late_s,
         extract(epoch FROM now() - t.since)::float8 AS overdue_s, coalesce(t.runs, 0) AS overdue,
         extract(epoch FROM now() - o.oldest_at)::float8 AS behind_s,
         coalesce(o.unfinished, 0) AS unfinished, coalesce(o.held, 0) AS held, o.held_run_id, o.held_by,
         coalesce(o.dead, 0) AS dead, o.dead_run_id, o.dead_error, coalesce(o.retrying, 0) AS retrying, o.retry_error, o.retry_at, coalesce(o.attempts, 0) AS attempts,
         coalesce((SELECT b.reason FROM pruned.blocked b WHERE b.job = j.job ORDER BY b.first_at LIMIT 1), o.blocked) AS blocked,
         coalesce(f.rows, 0) AS failing, coalesce(f.parked, 0) AS parked, f.reason AS failing_reason, f.of_it AS failing_of_it,
         extract(epoch FROM now() - f.since)::float8 AS failing_s,
         (SELECT count(*) FROM alive) AS processes, (SELECT count(*) FROM alive a WHERE a.jobs ? j.job) AS having,
         EXISTS (SELECT FROM alive a WHERE a.settled) AS settled,
         EXISTS (SELECT FROM pruned.stop z WHERE z.stopped) AS stopped,
         EXISTS (SELECT FROM pruned.controls c WHERE c.job = j.job AND c.paused AND coalesce(c.paused_until > now(), true)) AS paused,
         (SELECT c.paused_until FROM pruned.controls c WHERE c.job = j.job AND c.paused) AS paused_until,
         p.found AS overdue_found, p.of_them AS overdue_of_them, coalesce(p.missed, 0)::bigint AS overdue_missed, coalesce(x.rows, 0)::float8 AS outflow,
         coalesce(o.quiet, false) AS quiet, coalesce(o.throttled, false) AS throttled
  FROM jobs j
  LEFT JOIN night n ON n.job = j.job
  LEFT JOIN usual u ON u.job = j.job
  LEFT JOIN since s ON s.job = j.job
  LEFT JOIN last l ON l.job = j.job
  LEFT JOIN LATERAL (
    SELECT r.result, r.error, r.started_at FROM pruned.runs r WHERE r.run_id = l.last_run_id
    UNION ALL
    SELECT d.result, d.error, d.started_at FROM pruned.runs_done d WHERE d.run_id = l.last_run_id AND d.scheduled_at = l.last_at
    LIMIT 1) AS e ON true
  LEFT JOIN pruned.schedules w ON w.job = j.job
  LEFT JOIN past p ON p.job = j.job
  LEFT JOIN outflow x ON x.job = j.job
  LEFT JOIN open o ON o.job = j.job
  LEFT JOIN late t ON t.job = j.job
  LEFT JOIN failing f ON f.job = j.job),
judged AS (
SELECT f.*, coalesce(f.last_result ->> 'status', '') = 'failed' AS last_failed,
       CASE WHEN f.mode IN ('off', 'removed') THEN f.mode
            WHEN f.stopped THEN 'stopped'
            WHEN f.paused THEN 'paused'
            WHEN f.processes = 0 AND (f.late_s IS NOT NULL OR f.overdue > 0 OR f.interval_s > 0::float8) THEN 'no process'
            WHEN f.having = 0 AND f.processes > 0 THEN 'not taken up'
            WHEN f.blocked IS NOT NULL THEN 'blocked'
            WHEN f.held > 0 THEN 'held'
            WHEN f.dead > 0 THEN 'dead'
            WHEN f.late_s IS NOT NULL AND f.settled THEN 'late'
            WHEN f.overdue > 0 THEN 'overdue'
            WHEN f.behind_s > 86400::float8 THEN 'behind'
            WHEN f.retrying > 0 THEN 'retrying'
            WHEN f.failing > 0 THEN 'failing'
            WHEN f.less THEN 'less'
            WHEN f.overdue_missed > 0 THEN 'past'
            WHEN f.behind_s IS NOT NULL THEN 'running'
            WHEN f.mode = 'plan' THEN 'plan'
            WHEN f.last_run_id IS NULL THEN 'never'
            ELSE 'ok' END AS state
FROM facts f)
SELECT j.*, coalesce(j.late_s, 0) AS tick_late_seconds, coalesce(j.failing_s, 0) AS oldest_failing_seconds, j.rows AS night_rows, j.median AS usual_rows,
       j.less::int AS job_below_usual,
       j.overdue_missed > 0 OR j.state IN ('not taken up', 'blocked', 'held', 'dead', 'late', 'overdue', 'behind', 'less')
            OR (j.state = 'no process' AND (j.late_s IS NOT NULL OR j.overdue > 0 OR j.interval_s > 0::float8))
            OR (j.state = 'retrying' AND j.attempts >= 3) OR (j.state = 'failing' AND (j.parked > 0 OR j.failing_s > 86400::float8 OR j.last_failed)) AS needs,
       j.overdue_found ->> 'state' AS overdue_state, j.overdue_found ->> 'remedy' AS overdue_remedy, coalesce(j.overdue_found ? 'missing', false) AS overdue_missing, d.deadline_seconds, d.oldest AS oldest_overdue_seconds, d.due AS due_rows, d.inflow AS due_inflow_rows,
       CASE WHEN d.due IS NOT NULL THEN j.outflow END AS due_outflow_rows,
       CASE WHEN d.oldest = 0::float8 THEN 0::float8 WHEN j.outflow > d.inflow::float8 THEN pg_catalog.ceil(d.due::float8 / (j.outflow - d.inflow::float8)) END AS caught_up_nights,
       (j.overdue_found ->> 'nulls')::boolean AS overdue_nulls, (j.overdue_found ->> 'estimated')::boolean AS overdue_estimated,
       (j.overdue_found ->> 'late')::bigint AS overdue_late, j.overdue_found ->> 'oldest' AS overdue_oldest,
       CASE WHEN j.overdue_found IS NOT NULL THEN (j.overdue_found ? 'state')::int END AS deadline_unknown,
       CASE WHEN j.overdue_of_them IS NOT NULL THEN coalesce(w.rows, '{}') END AS overdue_rows, w.commonest AS overdue_why
FROM judged j
CROSS JOIN LATERAL (
  SELECT extract(epoch FROM (j.overdue_found ->> 'deadline')::interval)::float8 AS deadline_seconds, (j.overdue_found ->> 'oldest_s')::float8 AS oldest,
         (j.overdue_found ->> 'due')::bigint AS due, (j.overdue_found ->> 'inflow')::bigint AS inflow) AS d
CROSS JOIN LATERAL (
  SELECT pg_catalog.jsonb_object_agg(v.why, v.n) AS rows, (pg_catalog.array_agg(v.why ORDER BY v.n DESC, v.why) FILTER (WHERE v.why NOT
-- include: may_stay.sql
         ))[1] AS commonest
  FROM (SELECT y.why, pg_catalog.sum(r.value::bigint) AS n
        FROM pg_catalog.jsonb_each_text(j.overdue_of_them) AS r
        CROSS JOIN LATERAL (
          SELECT CASE WHEN r.key <> 'goes' THEN r.key
                      WHEN j.state IN ('off', 'stopped', 'paused', 'no process', 'not taken up', 'blocked', 'held', 'dead', 'retrying') THEN j.state
                      WHEN j.state IN ('late', 'overdue', 'behind') THEN 'behind'
                      WHEN j.mode = 'plan' THEN 'plan'
                      WHEN j.quiet THEN 'quiet hours'
                      WHEN j.throttled THEN 'throttled'
                      WHEN j.processes = 0 THEN 'no process'
                      WHEN j.behind_s IS NOT NULL THEN 'running'
                      ELSE 'none' END AS why) AS y
        GROUP BY y.why) AS v) AS w
ORDER BY j.position
