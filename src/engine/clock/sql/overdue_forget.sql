-- Jobs in force that have no deadline any more, and jobs that nobody has had for as long as ended
-- runs are kept; and what was overdue long ago.
WITH days AS (DELETE FROM pruned.overdue_days d WHERE d.day < (now() AT TIME ZONE 'UTC')::date - 400)
DELETE FROM pruned.overdue o WHERE o.job = ANY (:without::text[]) OR o.had_at < now() - :days::bigint::float8 * interval '1 day'
