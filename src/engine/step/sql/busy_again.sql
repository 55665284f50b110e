-- Rows of the table `:tab` that were busy, the latest first: those of this run. `:item`: only of
-- these; null: of all. Fast by the key on
-- (job, item), because few entries are of one job.
SELECT q.item FROM pruned.quarantine q
WHERE q.job = :job::text AND q.reason = 'busy' AND pg_catalog.starts_with(q.item, :tab::text || ':') AND coalesce(q.item = ANY (:item::text[]), true)
ORDER BY q.next_try_at DESC, q.item
LIMIT :limit::int
