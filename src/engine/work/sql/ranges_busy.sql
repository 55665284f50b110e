-- Whether a range of the run has not ended. Read by the index on range_of.
SELECT EXISTS (SELECT FROM pruned.runs r
               WHERE r.range_of = :run_id::uuid AND r.state || '' NOT IN ('finished', 'dead', 'skipped')) AS busy
