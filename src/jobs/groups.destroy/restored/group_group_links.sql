-- Links between groups are back: the direct members of the invited groups are to have again what came by them. Fast by primary key
-- and the indexes of members.
WITH place AS (SELECT DISTINCT l.shared_with_group_id AS id FROM group_group_links l WHERE l.id = ANY (:key::bigint[])),
-- include: ../refresh/asked_again.sql
