-- This process has seen the stop, or its end (null); `running`: runs whose step it has under way.
UPDATE pruned.processes SET stopped_at = :since::timestamptz, running = :running::uuid[] WHERE id = :id::uuid
RETURNING id
