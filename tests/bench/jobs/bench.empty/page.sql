-- Always empty.
SELECT NULL::bigint AS key, 0::bigint AS id WHERE :cursor.id::bigint > 0 AND :limit::int > 0 ORDER BY id
