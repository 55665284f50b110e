-- What this process is to keep, in days, said to the functions that take days away; less than the owner has said is not heard.
SELECT pruned.keep_at_least(:what::text[], :days::int[])
