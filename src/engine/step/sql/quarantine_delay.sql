-- How long after item `t` failed it is tried again: n^4 + 15 + rand(0..9) * (n + 1) seconds, at
-- most a day. The random number is the item's own, so that `next_try_at` tells when it failed last.
-- Not at all once it is parked.
CASE WHEN t.parked THEN 0::float8
     ELSE least(86400::float8, pg_catalog.power(t.attempts - 1, 4) + 15::float8
                               + ((pg_catalog.hashtext(t.item)::bigint + 2147483648) % 10::bigint * t.attempts::bigint)::float8) END * interval '1 s'
