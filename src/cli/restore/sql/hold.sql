-- Parks restored items for the jobs that would remove them again, until an operator releases them
-- (`pruned quarantine`).
INSERT INTO pruned.quarantine AS q (job, item, reason, attempts, parked)
SELECT DISTINCT h.job, h.item, 'restored', 0, true
FROM unnest(:job::text[], :item::text[]) AS h (job, item)
ORDER BY 1, 2
ON CONFLICT (job, item) DO UPDATE SET reason = excluded.reason, parked = true
