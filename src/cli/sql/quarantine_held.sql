-- The jobs for which `pruned restore` still holds the row `:item`. By the index of such rows.
SELECT q.job FROM pruned.quarantine q
WHERE q.parked AND q.reason = 'restored' AND
-- include: quarantine_item.sql
ORDER BY q.job
