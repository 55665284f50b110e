-- Part of statements: the hold `h` has not ended.
(h.until IS NULL OR h.until > now())
