-- Which of these items are in quarantine, and which of them are passed over for now.
SELECT u.ord::int - 1 AS row, q.parked OR q.next_try_at > now() AS passed_over
FROM unnest(:item::text[]) WITH ORDINALITY AS u (item, ord)
JOIN pruned.quarantine q ON q.job = :job::text AND q.item = u.item
