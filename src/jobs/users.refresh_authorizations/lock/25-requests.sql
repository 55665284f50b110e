-- Which requests are served. They are read before the authorizations and passed on to decide.sql in
-- a setting of the transaction: a request that is repeated after this has another seq, and is
-- served again. Fast by primary key.
SELECT pg_catalog.set_config('pruned.requests', (SELECT coalesce(pg_catalog.jsonb_object_agg(r.user_id, r.seqs), '{}') FROM (
    SELECT d.user_id, pg_catalog.jsonb_object_agg(d.kind, d.seq) AS seqs FROM pruned.dirty_users d
    WHERE d.user_id = ANY (:key::bigint[]) AND d.due_at <= now() GROUP BY d.user_id) AS r)::text, true) IS NOT NULL AS read
