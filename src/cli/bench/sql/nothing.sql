-- A round trip to the server.
SELECT 1 AS one
