-- The run's own row: the user. Fast by primary key.
SELECT count(*) AS n FROM (SELECT FROM users u WHERE u.id = (:args::jsonb ->> 'user_id')::bigint LIMIT :limit::bigint) AS o
