-- Nobody holds the row of `ci_deleted_objects`.
NOT EXISTS (SELECT FROM pruned.holds h WHERE h.tab = (SELECT pruned.held_table('ci_deleted_objects')) AND h.key = ci_deleted_objects.id::text AND
            -- include: ../../engine/job/sql/held_now.sql
           )
