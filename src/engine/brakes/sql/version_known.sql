-- Whether runs of this version of the job need no approval because of it: somebody has approved
-- one, or (`:restored`) no row is held that a restore of the job has put back. By primary key;
-- holds are only read where it is not known.
SELECT EXISTS (SELECT FROM pruned.approved_versions v WHERE v.job = :job::text AND v.version = :version::text)
       OR :restored::boolean AND NOT EXISTS (SELECT FROM pruned.holds h WHERE h.kind = 'restored' AND h.job = :job::text) AS known
