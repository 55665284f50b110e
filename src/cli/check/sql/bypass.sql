-- What lets the role see all rows.
SELECT pg_catalog.format('ALTER ROLE %I BYPASSRLS;', current_user) AS remedy
