-- What this transaction must publish, so that a crash after the commit loses nothing.
INSERT INTO pruned.unpublished (run_id, step, messages, job, slot)
VALUES (:run_id::uuid, :step::int, :messages::bytea, :job::text, :slot::int)
