-- Records when the run began and ended, by the server's clock.
INSERT INTO scratch_log (id, slot, began_at, ended_at)
SELECT k.id, (:args::jsonb->>'slot')::int, clock_timestamp(), scratch_ended()
FROM unnest(:key::bigint[]) AS k (id)
RETURNING id AS key, to_jsonb(scratch_log) AS row
