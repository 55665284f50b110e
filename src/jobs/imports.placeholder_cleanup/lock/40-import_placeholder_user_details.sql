-- Locks the details by id: an event's run and the nightly run decide about the same detail one
-- after the other.
SELECT d.id FROM import_placeholder_user_details d WHERE d.id = ANY (:key::bigint[]) ORDER BY d.id FOR UPDATE
