-- So many rows are leased: they count for the day of other runs until the step has ended.
UPDATE pruned.runs r SET rows_leased = nullif(:rows::bigint, 0)
WHERE r.run_id = :run_id::uuid AND r.rows_leased IS DISTINCT FROM nullif(:rows::bigint, 0)
RETURNING r.run_id
