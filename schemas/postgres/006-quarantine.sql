-- Schema `pruned`, step 6: an entry of the quarantine is about its row as it was then (`state`, a
-- hash of the row). Entries that `pruned restore` holds are found by their item, whatever the job:
-- such members do not count as remaining owners.
ALTER TABLE pruned.quarantine ADD COLUMN state text;
CREATE INDEX quarantine_held ON pruned.quarantine (item) WHERE parked AND reason = 'restored';
