-- This process is there still, with the settings that are known of it.
UPDATE pruned.processes SET seen_at = clock_timestamp(), partitions = :partitions::int
WHERE id = :id::uuid AND settings = :settings::text AND jobs = :jobs::jsonb
RETURNING id
