-- A part of each statement that writes the audit (job_files_audit.c): the key `k.key` of the row
-- `a.row` as it is recorded. A key that is a secret is recorded by its hash, so that whoever has it
-- can look for it. A table without a primary key is recorded by whole rows, which are named by what
-- else is in them. What is true of all rows is asked once, before anything is asked for each of
-- them.
CASE
WHEN (SELECT pg_catalog.cardinality(s.names) = 0 FROM secret s) THEN k.key
WHEN (SELECT s.of_key = 'plain' FROM secret s) AND pg_catalog.jsonb_typeof(k.key) <> 'object' THEN k.key
ELSE (SELECT CASE
   WHEN s.of_key = 'none' AND pg_catalog.jsonb_typeof(k.key) = 'object' THEN k.key - s.names
   WHEN s.of_key <> 'hashed' AND pg_catalog.jsonb_typeof(k.key) = 'object' THEN (
     SELECT coalesce(pg_catalog.jsonb_object_agg(m.key, CASE WHEN m.key = ANY (s.names) THEN
-- include: hashed.sql
       ELSE m.value END), '{}') FROM pg_catalog.jsonb_each(k.key) AS m)
   WHEN s.of_key = 'hashed' OR s.of_key <> 'plain' AND EXISTS (
     SELECT FROM pg_catalog.unnest(s.names) AS pruned_own_secret (name) WHERE a.row ->> pruned_own_secret.name = k.key #>> '{}') THEN (SELECT
-- include: hashed.sql
     FROM (SELECT k.key AS value) AS m)
   ELSE k.key END FROM secret s) END
