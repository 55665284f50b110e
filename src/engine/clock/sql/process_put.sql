-- A process that is new, or has new settings. One of the version before does not say `asks_holds`.
INSERT INTO pruned.processes (id, host, pid, version, started_at, settings, shared, jobs, versions, refused, partitions, housekeeping, asks_holds)
VALUES (:id::uuid, :host::text, :pid::int, :version::text, :started_at::timestamptz, :settings::text, :shared::jsonb, :jobs::jsonb, :versions::jsonb, :refused::jsonb, :partitions::int, :housekeeping::jsonb, true)
ON CONFLICT (id) DO UPDATE
SET seen_at = clock_timestamp(), settings = excluded.settings, shared = excluded.shared, jobs = excluded.jobs, versions = excluded.versions, refused = excluded.refused, partitions = excluded.partitions, housekeeping = excluded.housekeeping
