-- Entry `q` is passed over: its next try lies ahead, or it is parked (then it is tried once in
-- `:park_retry_days`; 0: never).
(q.next_try_at > now() OR q.parked AND (:park_retry_days::int = 0 OR q.next_try_at > now() - :park_retry_days::int::float8 * interval '1 day'))
