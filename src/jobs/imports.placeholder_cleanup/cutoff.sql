-- Whoever was tried later than this is left alone for now.
:scheduled_at::timestamptz - :setting.retry_after_ms::bigint * interval '1 ms'
