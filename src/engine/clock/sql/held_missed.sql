-- Notes that of each of the tables `:tab` as many rows as `:n` says are held and not there, and of
-- all others none.
SELECT pruned.held_missed(:tab::text[], :n::bigint[]) AS done
