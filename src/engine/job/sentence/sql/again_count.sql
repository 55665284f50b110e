-- How many rows a run of `pruned reapply` names. Fast by the primary key of pruned.reapply.
SELECT count(*) AS n FROM (SELECT FROM pruned.reapply a WHERE a.run_id = :run_id::uuid LIMIT :limit::bigint) AS o
