-- Common table expressions: named (tab, col), the columns that refer to a user and go to the ghost
-- user, or whose rows (`drops`) record only that the user is there, whether this database has them
-- or not. The former are the list of reference_list.sql and, whatever list is set, those that are
-- no reason to keep a placeholder but must not be deleted with the user: a key of theirs would
-- delete another user's row.
-- include: ../shared/reference_list.sql
,
association (table_name) AS (
  VALUES ('issue_assignees'), ('merge_request_assignees'), ('merge_request_reviewers'), ('subscriptions'), ('todos'),
         ('notification_settings'), ('project_authorizations')
),
named (tab, col, drops) AS (
  SELECT s.table_name, 'user_id', true FROM association s
  UNION
  SELECT r.tab, r.col, false FROM reference_list r WHERE NOT (r.col = 'user_id' AND r.tab IN (SELECT table_name FROM association))
  UNION
  SELECT w.tab, w.col, false
  FROM (VALUES ('todos', 'author_id'), ('reviews', 'author_id'), ('abuse_reports', 'reporter_id'), ('user_achievements', 'user_id'),
               ('user_achievements', 'awarded_by_user_id'), ('user_achievements', 'revoked_by_user_id')) AS w (tab, col)
)
