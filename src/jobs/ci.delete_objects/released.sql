-- Objects that were released from quarantine by hand become ready, except those that a step has
-- leased meanwhile: the others still have the time that quarantine gave them. Fast by primary key.
UPDATE ci_deleted_objects o SET pick_up_at = now()
FROM unnest(:item::text[], :next_try_at::timestamptz[]) AS k (item, next_try_at)
WHERE o.id = pg_catalog.split_part(k.item, ':', 2)::bigint AND o.pick_up_at = k.next_try_at
