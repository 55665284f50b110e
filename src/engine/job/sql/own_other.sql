-- A part of what is made of a user's file of apply/ (job_files_audit.c): `own`, the columns of the
-- primary key that the row has; and `other`, true unless it is of the key that is returned with it.
-- A key is the primary key, an object of some of its columns, or the value of one: a partitioned
-- table has more of them than its rows are named by. Only texts are compared; what differs is
-- compared by types later (src/engine/step/effects.c). A row of a table without a primary key
-- has to have the key among its columns, unless they were updated.
(SELECT coalesce(pg_catalog.jsonb_object_agg(pruned_own_name.name, applied.row -> pruned_own_name.name), '{}'::jsonb)
 FROM pruned_own_keys, pg_catalog.unnest(pruned_own_keys.names) AS pruned_own_name (name))::text AS own,
(SELECT CASE
   WHEN pg_catalog.cardinality(pruned_own_keys.names) = 0 AND ('{action}' = 'updated' OR
     CASE WHEN pg_catalog.jsonb_typeof(pruned_own_key.key) = 'object'
       THEN NOT EXISTS (SELECT FROM pg_catalog.jsonb_each(pruned_own_key.key) AS pruned_own_part (name, value)
                        WHERE (applied.row ->> pruned_own_part.name) IS DISTINCT FROM (pruned_own_part.value #>> '{}'::text[])
                          AND NOT (pg_catalog.jsonb_typeof(pruned_own_part.value) = 'array' AND pg_catalog.jsonb_typeof(applied.row -> pruned_own_part.name) = 'string'))
       ELSE EXISTS (SELECT FROM pg_catalog.jsonb_each_text(CASE pg_catalog.jsonb_typeof(applied.row) WHEN 'object' THEN applied.row ELSE '{}'::jsonb END)
                                AS pruned_own_part (name, value)
                    WHERE pruned_own_part.value = pruned_own_key.key #>> '{}'::text[]) END) THEN false
   WHEN EXISTS (SELECT FROM pg_catalog.unnest(pruned_own_keys.names) AS pruned_own_name (name)
                WHERE pruned_own_key.key #>> '{}'::text[] = applied.row ->> pruned_own_name.name) THEN false
   WHEN (SELECT pg_catalog.bool_and(coalesce(pruned_own_key.key ->> pruned_own_name.name = applied.row ->> pruned_own_name.name, false))
         FROM pg_catalog.unnest(pruned_own_keys.names) AS pruned_own_name (name) WHERE pruned_own_key.key ? pruned_own_name.name) THEN false
   ELSE true END
 FROM pruned_own_keys, (SELECT pg_catalog.to_jsonb(applied.key)) AS pruned_own_key (key)) AS other
