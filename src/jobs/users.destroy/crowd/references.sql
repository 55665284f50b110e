-- references.sql, for several users: `:user_id` of `page`, `clash` and `change` is a list.
SELECT r.name, r.quick, r.table_name, r.column_name, r.action,
       pg_catalog.replace(r.page, ' = :user_id::bigint', ' = ANY (:user_id::bigint[])') AS page,
       pg_catalog.replace(r.clash, ' = :user_id::bigint', ' = ANY (:user_id::bigint[])') AS clash,
       pg_catalog.replace(r.change, ' = :user_id::bigint', ' = ANY (:user_id::bigint[])') AS change
FROM (
-- include: ../references.sql
) AS r
ORDER BY r.name COLLATE "C"
