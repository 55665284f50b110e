-- Part of a statement: the result of the run `r`, which leaves a state in which it waited blocked.
CASE WHEN r.result ->> 'status' = 'blocked' THEN r.result - 'status' - 'reason' ELSE r.result END
