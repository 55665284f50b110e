-- The way to the server and back.
SELECT 1 AS one
