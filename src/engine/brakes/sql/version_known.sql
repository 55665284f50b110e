-- Whether somebody has approved a run of this version of the job. Fast by primary key.
SELECT FROM pruned.approved_versions v WHERE v.job = :job::text AND v.version = :version::text
