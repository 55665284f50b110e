-- A tick lies beyond the schedule's next time (a clock was ahead): planted again. A schedule
-- planted by another configuration is left alone, and so is one whose time has come meanwhile.
UPDATE pruned.schedules SET next_at = :next_at::timestamptz
WHERE job = :job::text AND schedule = :schedule::text AND next_at > :next_at::timestamptz AND :next_at::timestamptz > clock_timestamp()
RETURNING job
