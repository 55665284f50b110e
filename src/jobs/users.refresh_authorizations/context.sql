-- For log lines about single users. Fast by primary key.
SELECT u.id AS key, u.username AS "user", NULL::text AS project, NULL::text AS namespace, NULL::text AS root_namespace
FROM users u WHERE u.id = ANY (:key::bigint[])
