-- Whose row it is.
SELECT s.id AS key, s.note AS user FROM scratch s WHERE s.id = ANY (:key::bigint[])
