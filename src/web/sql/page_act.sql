-- For whom the page starts a command. One that never began leaves its row: it goes with the next.
WITH old AS (DELETE FROM pruned.page_acts a WHERE a.at < now() - interval '10 minutes')
INSERT INTO pruned.page_acts (act_id, person) VALUES (:act_id::uuid, :person::text)
