-- The key with which they are sealed now.
SELECT key_id, pg_catalog.to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at FROM pruned.erasure_key
