-- Checks deferred constraints and runs deferred triggers now, so that what they refuse is found
-- inside the try.
SET CONSTRAINTS ALL IMMEDIATE
