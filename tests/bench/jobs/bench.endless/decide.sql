-- No key ever comes here.
SELECT k AS key, 'kept' AS what, NULL::text AS reason FROM unnest(:key::text[]) AS k
