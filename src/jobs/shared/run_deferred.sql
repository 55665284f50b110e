-- Runs triggers that wait for the end of the transaction now, so that what they set back is seen.
SET CONSTRAINTS ALL IMMEDIATE
