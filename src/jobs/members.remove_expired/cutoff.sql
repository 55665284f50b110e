-- The last day of which memberships are over: the scheduled day, or the event's day if that is later. Computed once, not a row.
(SELECT greatest((:scheduled_at::timestamptz AT TIME ZONE 'UTC')::date, (:args::jsonb ->> 'expires_at')::date))
