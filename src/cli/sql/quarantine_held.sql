-- The jobs for which `pruned restore` still holds the row `:item`. Fast by the index of such rows.
SELECT q.job FROM pruned.quarantine q
WHERE q.item = :item::text AND q.parked AND q.reason = 'restored'
ORDER BY q.job
