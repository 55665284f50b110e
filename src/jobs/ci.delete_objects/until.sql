-- Until when the rows are leased: one time for all, so that a thousand rows do not carry it each.
SELECT now() + :setting.lease_ms::bigint * interval '1 ms' AS lease
