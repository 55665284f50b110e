-- A row goes once its day has come. By primary key.
SELECT k.id AS key, CASE WHEN s.id IS NULL THEN 'gone' WHEN s.day <= :scheduled_at::timestamptz::date THEN 'removed' ELSE 'kept' END AS what,
       NULL::text AS reason
FROM unnest(:key::bigint[]) AS k (id)
LEFT JOIN scratch s ON s.id = k.id
