-- The time by which this run judges: its own, but never one that has not come by the database's clock, whatever the run's row says. Only a
-- plan looks ahead. Computed once, not a row.
least(:scheduled_at::timestamptz, CASE WHEN :plan::boolean THEN 'infinity' ELSE now() END)
