-- The day by which links to groups are judged: the database's today, also in a run whose own T is
-- older, because a right that is over must not be given again. Only a plan looks ahead. Computed
-- once, not for each row.
(greatest(CASE WHEN :plan::boolean THEN :scheduled_at::timestamptz END, now()) AT TIME ZONE 'UTC')::date
