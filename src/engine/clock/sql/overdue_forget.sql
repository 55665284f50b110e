-- Jobs in force that have no deadline any more, and jobs that nobody has had for as long as ended
-- runs are kept.
DELETE FROM pruned.overdue o WHERE o.job = ANY (:without::text[]) OR o.had_at < now() - :days::bigint::float8 * interval '1 day'
