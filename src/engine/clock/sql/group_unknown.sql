-- Those of the processes `:id` that this database does not know as running: a process that runs has
-- written its row within `:seconds`.
SELECT u.id::text AS id FROM pg_catalog.unnest(:id::uuid[]) AS u (id)
WHERE NOT EXISTS (SELECT FROM pruned.processes p WHERE p.id = u.id AND p.seen_at > now() - :seconds::int::float8 * interval '1 s')
