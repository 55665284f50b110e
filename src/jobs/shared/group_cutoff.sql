-- Groups marked on this day or earlier are due; NULL without a row of settings.
(
-- include: as_of.sql
AT TIME ZONE 'UTC')::date
  - (SELECT deletion_adjourned_period FROM application_settings ORDER BY id DESC LIMIT 1)
