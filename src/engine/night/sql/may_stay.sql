-- Part of statements: words for rows past their deadline that nobody has to look at
-- (step/overdue.h).
IN ('kept', 'hold', 'restored', 'not asked')
