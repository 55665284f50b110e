-- Tells the functions that drop whole days for how many days this process keeps records. Fewer
-- days than the owner has set have no effect.
SELECT pruned.keep_at_least(:what::text[], :days::int[])
