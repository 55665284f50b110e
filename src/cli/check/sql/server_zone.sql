-- The server's time zone, where that is not UTC.
SELECT s.reset_val AS zone FROM pg_catalog.pg_settings s
WHERE s.name = 'TimeZone' AND s.reset_val !~* '^(etc/)?(utc|gmt|uct|zulu|universal|greenwich)$'
