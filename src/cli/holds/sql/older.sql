-- A running process of a version that does not ask `pruned.holds`, if there is one.
SELECT p.host, p.pid, p.version FROM pruned.processes p
WHERE p.asks_holds IS NOT TRUE AND p.seen_at > now() - interval '10 minutes'
ORDER BY p.started_at LIMIT 1
