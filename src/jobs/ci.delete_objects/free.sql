-- Nobody holds the row of `ci_deleted_objects`, nor one that foreign keys would take or change with
-- it. The latter is asked only where keys refer to the table, and something is held.
NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table('ci_deleted_objects')) AND h.key = ci_deleted_objects.id::text AND
            -- include: ../../engine/job/sql/held_now.sql
           )
AND NOT ((SELECT EXISTS (SELECT FROM pruned.holds)
             AND EXISTS (SELECT FROM pg_catalog.pg_constraint c
                         WHERE c.contype = 'f' AND coalesce(pg_catalog.pg_partition_root(c.confrelid)::oid, c.confrelid)
                               = coalesce(pg_catalog.pg_partition_root('ci_deleted_objects'::regclass)::oid, 'ci_deleted_objects'::regclass::oid)))
         AND EXISTS (SELECT FROM pruned.held_below('ci_deleted_objects'::regclass::oid, ARRAY[ci_deleted_objects.id::text], '{}'::oid[], false, true)))
