-- The processes that run, whether each has answered this request, and what it said.
SELECT p.host, p.pid, p.reloaded_at IS NOT DISTINCT FROM :asked_at::timestamptz AS answered,
       a.said -> 'changed' AS changed, a.said -> 'added' AS added, a.said -> 'removed' AS removed, a.said -> 'refused' AS refused,
       a.said ->> 'error' AS error,
       coalesce(pg_catalog.jsonb_array_length(a.said -> 'refused') > 0 OR a.said ->> 'error' IS NOT NULL, false) AS refuses
FROM pruned.processes p
CROSS JOIN LATERAL (SELECT CASE WHEN p.reloaded_at = :asked_at::timestamptz THEN p.reloaded END AS said) AS a
WHERE p.seen_at > now() - :seconds::bigint::float8 * interval '1 s'
ORDER BY p.started_at, p.id
