-- Part of statements: whether the column a of a key is jsonb, or a domain over it. In a key of
-- several columns such a value stands as itself; others stand as their text.
EXISTS (WITH RECURSIVE base (oid) AS (SELECT a.atttypid UNION ALL SELECT d.typbasetype FROM base b JOIN pg_type d ON d.oid = b.oid AND d.typtype = 'd')
        SELECT FROM base b WHERE b.oid = 'jsonb'::regtype)
