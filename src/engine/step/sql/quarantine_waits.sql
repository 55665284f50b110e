-- Entry `q` is passed over: its next try lies ahead, it is parked (then it is tried once in
-- `:park_retry_days`; 0: never), or `pruned restore` holds it until an operator releases it.
(q.next_try_at > now() OR q.parked AND (q.reason = 'restored' OR :park_retry_days::int = 0
                                        OR q.next_try_at > now() - :park_retry_days::int::float8 * interval '1 day'))
