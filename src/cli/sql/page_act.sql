-- The person of the page for whom this command is. An id is good once, and for a minute.
DELETE FROM pruned.page_acts a WHERE a.act_id = :act_id::uuid AND a.at > now() - interval '1 minute'
RETURNING a.person
