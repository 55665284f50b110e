-- Part of statements: words for rows past their deadline that nobody has to look at
-- (step/overdue.h).
IN ('kept', 'kept: unless', 'hold', 'restored', 'not asked')
