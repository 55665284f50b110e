-- Notes the partitions that will be detached outside of a transaction. What another job has noted
-- and not ended within a day, because it was renamed or removed, is taken over.
WITH taken AS (
  UPDATE pruned.partitions r SET job = :job::text, run_id = :run_id::uuid, decided_at = now()
  WHERE r.name = ANY (:key::text[]) AND r.parent = pg_catalog.to_regclass({relation}) AND r.job <> :job::text
    AND r.decided_at <= now() - interval '1 day'
  RETURNING r.name
), begun AS (
  INSERT INTO pruned.partitions (relid, job, run_id, parent, name, bound, lower, upper, upper_at, rows, detaching)
  SELECT d.relid, :job::text, :run_id::uuid, pg_catalog.to_regclass({relation}), d.name, d.bound, d.lower, d.upper, d.upper_at, d.rows, false
  FROM (
{due}
  ) AS d
  WHERE d.name = ANY (:key::text[])
  ON CONFLICT DO NOTHING
  RETURNING name
)
SELECT name AS key FROM taken UNION ALL SELECT name FROM begun
