-- Which requests are served for each user (lock/25-requests.sql; a plan has none, because it locks
-- nothing). Fast by primary key.
SELECT k.id AS key, CASE WHEN u.id IS NULL THEN 'gone' ELSE 'refreshed' END AS what, NULL::text AS reason,
       (r.seqs ->> 'authorizations')::bigint AS authorizations, (r.seqs ->> 'todos')::bigint AS todos
FROM pg_catalog.unnest(:key::bigint[]) WITH ORDINALITY AS k (id, pos)
LEFT JOIN users u ON u.id = k.id
LEFT JOIN pg_catalog.jsonb_each(nullif(pg_catalog.current_setting('pruned.requests', true), '')::jsonb) AS r (id, seqs) ON r.id = k.id::text
ORDER BY k.pos
