-- Partitions that a step of the job `:job` has decided to drop, in the order of their bounds, and
-- how far each is: `attached`, `pending` (a detach that was interrupted), `detached`; or `gone`, or
-- `changed` since: another name, bound or parent; or `taken`: somebody else has detached it, or has
-- begun to; or `kept`: it is attached, and the job as it is now has another table, or another age
-- by which it is not due. `beside`: its table has a default partition, so that PostgreSQL cannot
-- detach it concurrently. `stranger`: another partition of its table that somebody else has left
-- half detached. `table` and `partition` are names as SQL writes them, whatever the search_path;
-- null: there is no such table any more. Reads the catalogue.
SELECT r.relid::text AS relid, r.name, r.lower, r.upper, r.rows,
       CASE WHEN c.oid IS NULL THEN 'gone'
            WHEN pg_catalog.to_regclass(r.name)::oid IS DISTINCT FROM r.relid OR c.relkind NOT IN ('r', 'p') THEN 'changed'
            WHEN i.inhrelid IS NULL THEN CASE WHEN r.detaching THEN 'detached' ELSE 'taken' END
            WHEN i.inhparent <> r.parent OR pg_catalog.pg_get_expr(c.relpartbound, c.oid) IS DISTINCT FROM r.bound THEN 'changed'
            WHEN i.inhdetachpending THEN CASE WHEN r.detaching THEN 'pending' ELSE 'taken' END
            WHEN r.parent IS DISTINCT FROM pg_catalog.to_regclass(:table::text)::oid OR r.upper_at > :scheduled_at::timestamptz - :age::interval THEN 'kept'
            ELSE 'attached' END AS state,
       coalesce(t.partdefid <> 0, false) AS beside,
       (SELECT pg_catalog.min(h.inhrelid::regclass::text) FROM pg_inherits h
        WHERE h.inhparent = r.parent AND h.inhdetachpending AND NOT EXISTS (SELECT FROM pruned.partitions o WHERE o.relid = h.inhrelid AND o.detaching)) AS stranger,
       CASE WHEN p.oid IS NOT NULL THEN pg_catalog.format('%I.%I', pn.nspname, p.relname) END AS table,
       CASE WHEN c.oid IS NOT NULL THEN pg_catalog.format('%I.%I', cn.nspname, c.relname) END AS partition
FROM pruned.partitions r
LEFT JOIN pg_class c ON c.oid = r.relid
LEFT JOIN pg_namespace cn ON cn.oid = c.relnamespace
LEFT JOIN pg_inherits i ON i.inhrelid = r.relid
LEFT JOIN pg_class p ON p.oid = r.parent
LEFT JOIN pg_namespace pn ON pn.oid = p.relnamespace
LEFT JOIN pg_partitioned_table t ON t.partrelid = r.parent
WHERE r.job = :job::text
ORDER BY r.upper_at, r.relid::bigint
