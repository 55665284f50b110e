-- The last day of which memberships are over: the scheduled day, or the event's day if that is later.
greatest((:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date, (:args::jsonb ->> 'expires_at')::date)
