-- Links of projects are restored: asks for a refresh of all who reach the invited groups, also
-- members of groups that were not deleted. Fast by primary key and the indexes of members.
WITH linked AS (SELECT l.group_id AS id FROM project_group_links l WHERE l.id = ANY (:key::bigint[])),
-- include: ../refresh/reaching.sql
,
place AS (SELECT id FROM reaching),
-- include: ../refresh/asked_again.sql
