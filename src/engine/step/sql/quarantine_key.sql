-- Part of statements: how the text `u.key` becomes the value of a column of the primary key: as an
-- argument of format, with the column's name, its type and its number in the key. Where that is a
-- whole number or a UUID, what is none is NULL; else the statement fails with SQLSTATE 22.
CASE WHEN i.indnkeyatts > 1 AND
-- include: quarantine_json.sql
     THEN '(u.key::jsonb -> %1$L)::%2$s AS k%3$s'
     WHEN i.indnkeyatts > 1 THEN '(u.key::jsonb ->> %1$L)::%2$s AS k%3$s'
     WHEN a.atttypid IN ('int8'::regtype, 'int4'::regtype, 'int2'::regtype)
     THEN 'CASE WHEN u.key ~ ''^-?[0-9]{1,19}$'' THEN CASE WHEN u.key::numeric BETWEEN -9223372036854775808 AND 9223372036854775807'
          ' THEN u.key::int8 END END AS k%3$s'
     WHEN a.atttypid = 'uuid'::regtype
     THEN 'CASE WHEN u.key ~ ''^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'' THEN u.key::uuid END AS k%3$s'
     ELSE 'u.key::%2$s AS k%3$s' END
