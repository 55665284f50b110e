-- Does not change users: it only names for whom the following files run, which is everybody who
-- still exists.
SELECT id AS key FROM users WHERE id = ANY (:key::bigint[])
