-- Which of the tables `:name`, as jobs name them (empty: a job names none), is the table `:table`,
-- and what the quarantine has of the row: `:item`, as the job of that place would name it. `held`:
-- a restore has put the row back; it is held from each job. By the key on (job, item), and by the
-- partial index of held items.
SELECT u.ord::int - 1 AS row, q.reason, q.attempts, q.parked, q.first_at, q.next_try_at,
       extract(epoch FROM now() - q.first_at)::float8 AS failing_s,
       EXISTS (SELECT FROM pruned.quarantine h WHERE h.item = ANY (:item::text[]) AND h.parked AND h.reason = 'restored') AS held,
       (SELECT h.job FROM pruned.quarantine h WHERE h.item = ANY (:item::text[]) AND h.parked AND h.reason = 'restored' ORDER BY h.job LIMIT 1) AS held_job,
       (SELECT h.item FROM pruned.quarantine h WHERE h.item = ANY (:item::text[]) AND h.parked AND h.reason = 'restored' ORDER BY h.job LIMIT 1) AS held_item
FROM unnest(:job::text[], :name::text[], :item::text[]) WITH ORDINALITY AS u (job, name, item, ord)
LEFT JOIN pruned.quarantine q ON q.job = u.job AND q.item = u.item AND q.reason <> 'restored'
WHERE CASE WHEN u.name <> '' THEN pg_catalog.to_regclass(u.name) END = pg_catalog.to_regclass(:table::text)
ORDER BY u.ord
