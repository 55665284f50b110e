-- Schema `pruned`, step 48: what the runs of a day count, so that a report does not read each run.
-- compatible_from: 41

-- What the results of the runs count that pruned.nights has by day and job: name is the counter.
-- tab: empty: as the job counts, of which updated_rows are the rows of its own table; else rows of
-- that other table. Counters that are 0 have no row. Written by the statement that archives.
CREATE TABLE pruned.night_counts (
    day  date NOT NULL,
    job  text NOT NULL,
    tab  text NOT NULL,
    name text NOT NULL,
    n    bigint NOT NULL,
    PRIMARY KEY (day, job, tab, name)
);

-- What the archive has.
INSERT INTO pruned.night_counts (day, job, tab, name, n)
SELECT (r.scheduled_at AT TIME ZONE 'UTC')::date, r.job, c.tab, c.name, pg_catalog.sum(c.n)::bigint
FROM pruned.runs_done r
CROSS JOIN LATERAL (
    SELECT '' AS tab, k.key AS name, k.value::numeric AS n
    FROM pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(r.result) = 'object' THEN r.result END) AS k
    WHERE pg_catalog.jsonb_typeof(k.value) = 'number' AND k.value <> '0'
    UNION ALL
    SELECT t.key, k.key, k.value::numeric
    FROM pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(r.result -> 'tables') = 'object' THEN r.result -> 'tables' END) AS t
    CROSS JOIN LATERAL pg_catalog.jsonb_each(CASE WHEN pg_catalog.jsonb_typeof(t.value) = 'object' THEN t.value END) AS k
    WHERE pg_catalog.jsonb_typeof(k.value) = 'number' AND k.value <> '0') AS c
WHERE r.state = 'finished' AND r.finished_at IS NOT NULL AND coalesce(r.result ->> 'mode', '') <> 'plan'
GROUP BY 1, 2, 3, 4;

-- Asked before a run of a job changes rows: what a restore has put back of it.
CREATE INDEX holds_restored ON pruned.holds (job) WHERE kind = 'restored';

SELECT pruned.give_daemons(ARRAY['night_counts: SELECT, INSERT, UPDATE, DELETE']);
