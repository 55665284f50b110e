-- What the audit has of a row, and of rows that name it, the oldest first: by a foreign key (from
-- the catalogue), for users also by the columns that users.destroy knows and by any
-- `user_id`, for namespaces and projects by `source_id`. Records are found by the index on their
-- keys and users (deletions_named), and those of the run that deleted the row, up to then, by
-- (run_id, step). Without `:all` the statement runs without sequential scans: the planner does not
-- see that records are wide. `:all`: also what other runs removed, for which all records are read.
-- `restored_at`: of the last `pruned restore` of the row or of its run, by the journal.
-- `:spellings`: all that the row's key is written as, if that is more than one: a row that names it
-- can write it otherwise. `:columns`: the key is an object of columns. `typed`: a key as a command
-- takes it; a text of JSON is quoted. `erasure`: the one that has started the run; a child's T is
-- its parent's, so one day of the archive is read.
WITH
-- include: naming.sql
,
-- What a record contains that has a row which names this one; any table: null.
naming_row (tab, part) AS MATERIALIZED (
  SELECT c.tab, pg_catalog.jsonb_build_array(c.part) FROM naming c
  UNION ALL
  SELECT NULL, pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('source_id', :key::jsonb, 'source_type', t.type))
  FROM (VALUES ('namespaces', 'Namespace'), ('projects', 'Project')) AS t (whose, type) WHERE t.whose = :whose::text
),
direct AS MATERIALIZED (
  SELECT d.tableoid AS part, d.ctid AS place, d.run_id, d.step, d.table_name, d.action, d.keys, d.rows, d.at
  FROM pruned.deletions d
  WHERE d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]') @> pg_catalog.jsonb_build_array(:key::jsonb)
     OR :in_json::jsonb IS NOT NULL AND d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]') @> pg_catalog.jsonb_build_array(:in_json::jsonb)
),
own AS MATERIALIZED (
  SELECT d.run_id, pg_catalog.max(d.step) AS step
  FROM (
    SELECT d.run_id, d.step, d.table_name, d.action, d.keys, d.rows FROM direct d
    UNION ALL
    SELECT d.* FROM pg_catalog.unnest(:spellings::jsonb[]) AS s (key) CROSS JOIN LATERAL (
      SELECT d.run_id, d.step, d.table_name, d.action, d.keys, d.rows FROM pruned.deletions d
      WHERE d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]') @> pg_catalog.jsonb_build_array(s.key) OFFSET 0) AS d) AS d
  CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(d.keys), pg_catalog.jsonb_array_elements(d.rows)) AS v (key, row)
  WHERE d.table_name IN (SELECT tab FROM names) AND d.action = 'deleted'
    AND (v.key = :key::jsonb OR (:columns::boolean AND (v.key || :key::jsonb = v.key OR coalesce(v.row || :key::jsonb = v.row, false)))
         OR coalesce(v.key = :in_json::jsonb, false) OR v.key = ANY (:spellings::jsonb[]))
  GROUP BY d.run_id
),
entry AS MATERIALIZED (
  SELECT DISTINCT ON (x.part, x.place) x.* FROM (
    SELECT d.* FROM direct d
    UNION ALL
    SELECT d.tableoid, d.ctid, d.run_id, d.step, d.table_name, d.action, d.keys, d.rows, d.at
    FROM pruned.deletions d
    WHERE :whose::text = 'users'
      AND d.keys || coalesce(pg_catalog.jsonb_path_query_array(d.rows, '$[*].user_id'), '[]')
          @> pg_catalog.jsonb_build_array(pg_catalog.jsonb_build_object('user_id', :key::jsonb))
    UNION ALL
    SELECT d.tableoid, d.ctid, d.run_id, d.step, d.table_name, d.action, d.keys, d.rows, d.at
    FROM own o JOIN pruned.deletions d ON d.run_id = o.run_id AND d.step <= o.step
    WHERE EXISTS (SELECT FROM naming_row n
                  WHERE (n.tab = d.table_name OR n.tab IS NULL) AND (d.keys @> n.part OR coalesce(d.rows @> n.part, false)))
    UNION ALL
    SELECT d.tableoid, d.ctid, d.run_id, d.step, d.table_name, d.action, d.keys, d.rows, d.at
    FROM pruned.deletions d
    WHERE :all::boolean
      AND EXISTS (SELECT FROM naming_row n
                  WHERE (n.tab = d.table_name OR n.tab IS NULL) AND (d.keys @> n.part OR coalesce(d.rows @> n.part, false)))) AS x
  ORDER BY x.part, x.place
)
SELECT e.at, (extract(epoch FROM e.at) * 1000000.0)::bigint AS at_us, e.run_id, e.table_name, e.action, v.key #>> '{}' AS name, CASE WHEN j.json THEN v.key::text ELSE coalesce(v.key #>> '{}', 'null') END AS typed, v.row::text AS row, r.job, r.scheduled_at, r.args,
       w.job AS erasure, w.run_id AS erasure_run, b.at AS restored_at, m.mine
FROM entry e
CROSS JOIN LATERAL (SELECT pg_catalog.array_agg(c.part) AS parts FROM naming c WHERE c.tab = e.table_name) AS n
CROSS JOIN LATERAL (
  SELECT EXISTS (SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] JOIN pg_type y ON y.oid = a.atttypid
                 WHERE i.indrelid = pg_catalog.to_regclass(e.table_name)::oid AND i.indisprimary AND i.indnkeyatts = 1
                   AND coalesce(nullif(y.typbasetype, 0), y.oid) IN ('json'::regtype, 'jsonb'::regtype)) AS json) AS j
CROSS JOIN LATERAL ROWS FROM (pg_catalog.jsonb_array_elements(e.keys), pg_catalog.jsonb_array_elements(e.rows)) AS v (key, row)
CROSS JOIN LATERAL (
  SELECT e.table_name IN (SELECT tab FROM names)
         AND (v.key = :key::jsonb OR (:columns::boolean AND (v.key || :key::jsonb = v.key OR coalesce(v.row || :key::jsonb = v.row, false)))) AS mine) AS m
LEFT JOIN LATERAL (
  SELECT a.job, a.scheduled_at, a.args, a.parent_id FROM pruned.runs a WHERE a.run_id = e.run_id
  UNION ALL
  SELECT b.job, b.scheduled_at, b.args, b.parent_id FROM pruned.runs_done b WHERE b.run_id = e.run_id
  LIMIT 1) AS r ON true
LEFT JOIN LATERAL (
  SELECT a.job, a.run_id FROM pruned.runs a WHERE a.run_id = r.parent_id AND a.args ? 'values'
  UNION ALL
  SELECT b.job, b.run_id FROM pruned.runs_done b WHERE b.run_id = r.parent_id AND b.scheduled_at = r.scheduled_at AND b.args ? 'values'
  LIMIT 1) AS w ON true
CROSS JOIN LATERAL (
  SELECT pg_catalog.max(o.at) AS at FROM pruned.journal o
  WHERE o.object IN (e.run_id::text, e.run_id::text || ' ' || e.table_name || ':' || coalesce(v.key #>> '{}', 'null'))
    AND o.command = 'restore' AND o.at >= e.at) AS b
WHERE m.mine
   OR EXISTS (SELECT FROM pg_catalog.unnest(n.parts) AS c (part) WHERE v.key || c.part = v.key OR coalesce(v.row || c.part = v.row, false))
   OR (:whose::text = 'users' AND coalesce(v.row -> 'user_id', v.key -> 'user_id') = :key::jsonb)
   OR (v.row -> 'source_id' = :key::jsonb
       AND v.row ->> 'source_type' = CASE :whose::text WHEN 'namespaces' THEN 'Namespace' WHEN 'projects' THEN 'Project' END)
ORDER BY e.at, e.run_id, e.step, m.mine, e.table_name, v.key
LIMIT :limit::bigint
