-- How many restored rows are held, of one job (null: of all).
SELECT count(*) AS held FROM pruned.quarantine q
WHERE q.parked AND q.reason = 'restored' AND (:job::text IS NULL OR q.job = :job::text)
