-- A waiting run is due now.
UPDATE pruned.runs SET due_at = now(), changed_at = now() WHERE run_id = :run_id::uuid
