-- When all processes were asked to reload, if that is a short while ago. One row, twice a second.
SELECT r.asked_at::text AS asked_at FROM pruned.reload r WHERE r.asked_at > now() - interval '2 minutes'
