-- left.sql, for several users: which columns refer to one of them.
SELECT pg_catalog.replace(l.sql, ' = :user_id::bigint', ' = ANY (:user_id::bigint[])') AS sql
FROM (
-- include: ../left.sql
) AS l
