-- Notices that were tried and not told.
SELECT count(*)::float8 AS value FROM pruned.notices n WHERE n.told_at IS NULL AND n.error IS NOT NULL
