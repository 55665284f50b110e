-- Stores the result of a count: the rows that are given, with those of this transaction and with a
-- portion for later ones. All earlier portions are void.
INSERT INTO pruned.days AS d (job, label, given, portion, counted_at)
VALUES (:job::text, gen_random_uuid(), :given::bigint, :portion::bigint, clock_timestamp())
ON CONFLICT (job) DO UPDATE
SET label = excluded.label, given = excluded.given, portion = excluded.portion, counted_at = excluded.counted_at
RETURNING d.label::text || ' ' || pg_catalog.pg_postmaster_start_time()::text AS label, d.portion, 0::bigint AS age_us
