-- Left by a crash, on lanes that are ours now. Two seconds: nobody's ordinary publishing takes that long.
SELECT p.run_id, p.step, encode(p.messages, 'base64') AS messages, p.job, p.slot
FROM pruned.unpublished p
WHERE p.at < now() - interval '2 s'
ORDER BY p.at
LIMIT 100
