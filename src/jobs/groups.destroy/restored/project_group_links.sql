-- Links of projects are back: all who reach the invited groups are to have again what came by them, also those who are members
-- of groups that were never away. Fast by primary key and the indexes of members.
WITH linked AS (SELECT l.group_id AS id FROM project_group_links l WHERE l.id = ANY (:key::bigint[])),
-- include: ../refresh/reaching.sql
,
place AS (SELECT id FROM reaching),
-- include: ../refresh/asked_again.sql
