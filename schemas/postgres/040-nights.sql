-- Schema `pruned`, step 40: what each job does in a day, so that what is usual is read at once.
-- compatible_from: 15

-- What the ended runs of a job have done that are in the archive, by the day of their T (UTC); runs
-- of the last hour are in pruned.runs. Written by the statement that archives. runs: those that
-- ended well and applied. others: those that were blocked, that only planned, or of which all rows
-- failed. rows: changed by them, and children placed. failed: rows that failed. last_run_id,
-- last_at (its T) and last_ended: of the run that ended last.
CREATE TABLE pruned.nights (
    day         date NOT NULL,
    job         text NOT NULL,
    runs        bigint NOT NULL,
    others      bigint NOT NULL,
    rows        bigint NOT NULL,
    failed      bigint NOT NULL,
    last_run_id uuid NOT NULL,
    last_at     timestamptz NOT NULL,
    last_ended  timestamptz NOT NULL,
    PRIMARY KEY (day, job)
);

-- What the archive has of the last weeks.
INSERT INTO pruned.nights (day, job, runs, others, rows, failed, last_run_id, last_at, last_ended)
SELECT e.day, e.job, count(*) FILTER (WHERE e.well), count(*) FILTER (WHERE NOT e.well), pg_catalog.sum(coalesce(e.rows_done, 0))::bigint,
       pg_catalog.sum(e.failed)::bigint, (pg_catalog.array_agg(e.run_id ORDER BY e.finished_at DESC))[1],
       (pg_catalog.array_agg(e.scheduled_at ORDER BY e.finished_at DESC))[1], pg_catalog.max(e.finished_at)
FROM (SELECT r.*, (r.scheduled_at AT TIME ZONE 'UTC')::date AS day,
             coalesce(r.result ->> 'status', '') NOT IN ('blocked', 'failed') AND coalesce(r.result ->> 'mode', '') <> 'plan' AS well,
             CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'failed') = 'number' THEN (r.result ->> 'failed')::numeric ELSE 0 END AS failed
      FROM pruned.runs_done r
      WHERE r.scheduled_at > now() - interval '45 days' AND r.state = 'finished' AND r.finished_at IS NOT NULL) AS e
GROUP BY e.day, e.job;

SELECT pruned.give_daemons(ARRAY['nights: SELECT, INSERT, UPDATE, DELETE']);
