-- The last day whose memberships have expired: the scheduled day, or the event's day if that is
-- later; never a day that has not begun by the database's clock. Computed once, not for each row.
(SELECT least(greatest((:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date, (:args::jsonb ->> 'expires_at')::date),
              (CASE WHEN :plan::boolean THEN 'infinity' ELSE now() END AT TIME ZONE 'UTC')::date))
