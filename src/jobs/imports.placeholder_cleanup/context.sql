-- The placeholder's name. Fast by primary keys.
SELECT d.id AS key, u.username AS "user", NULL::text AS project, NULL::text AS namespace, NULL::text AS root_namespace
FROM import_placeholder_user_details d LEFT JOIN users u ON u.id = d.placeholder_user_id
WHERE d.id = ANY (:key::bigint[])
