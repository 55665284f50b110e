-- Ends what hold_ahead.sql has begun.
DELETE FROM pruned.holds h WHERE h.tab = 'pruned.runs' AND h.key = :run_id::text AND h.hold_id = :hold_id::uuid
