-- Schema `pruned`, step 6: an entry of the quarantine is about its row as it was then (`state`, a sum of the row), and those that
-- `pruned restore` holds back are found by their item, whatever the job: they do not count as owners who last.
ALTER TABLE pruned.quarantine ADD COLUMN state text;
CREATE INDEX quarantine_held ON pruned.quarantine (item) WHERE parked AND reason = 'restored';
