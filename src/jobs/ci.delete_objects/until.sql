-- When the lease ends: one time for all rows, so that a thousand rows do not carry it each.
SELECT now() + :setting.lease_ms::bigint::float8 * interval '1 ms' AS lease
