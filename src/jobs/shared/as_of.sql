-- The time by which this run judges: its own T, but never later than the database's clock, whatever
-- the run's row says. Only a plan looks ahead. Computed once, not for each row.
least(:scheduled_at::timestamptz, CASE WHEN :plan::boolean THEN 'infinity' ELSE now() END)
