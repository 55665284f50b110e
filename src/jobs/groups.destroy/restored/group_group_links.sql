-- Links between groups are restored: asks for a refresh of the direct members of the invited
-- groups. Fast by primary key and the indexes of members.
WITH place AS (SELECT DISTINCT l.shared_with_group_id AS id FROM group_group_links l WHERE l.id = ANY (:key::bigint[])),
-- include: ../refresh/asked_again.sql
