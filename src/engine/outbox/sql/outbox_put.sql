-- The messages that this transaction must publish, so that a crash after the commit loses none.
INSERT INTO pruned.unpublished (run_id, step, messages, job, slot)
VALUES (:run_id::uuid, :step::int, :messages::bytea, :job::text, :slot::int)
