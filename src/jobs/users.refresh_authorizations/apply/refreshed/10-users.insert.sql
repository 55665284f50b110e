-- The users themselves are not touched: this only says for whom the following files run, which is everybody who is still there.
SELECT id AS key FROM users WHERE id = ANY (:key::bigint[])
