-- This process is alive, with unchanged settings. No row: process_put.sql.
UPDATE pruned.processes SET seen_at = clock_timestamp(), partitions = :partitions::int, housekeeping = :housekeeping::jsonb
WHERE id = :id::uuid AND settings = :settings::text AND shared IS NOT DISTINCT FROM :shared::jsonb AND jobs = :jobs::jsonb AND versions IS NOT DISTINCT FROM :versions::jsonb AND refused IS NOT DISTINCT FROM :refused::jsonb
RETURNING id
