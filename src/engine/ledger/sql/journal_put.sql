-- A row of the journal, in the transaction of the change that it is about.
INSERT INTO pruned.journal (role, os_user, host, command, object, reason)
VALUES (session_user, :os_user::text, :host::text, :command::text, :object::text, :reason::text)
RETURNING at, role
