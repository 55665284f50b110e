-- Without a row of settings nobody knows how long the grace period is.
SELECT 'application_settings has no row: deletion_adjourned_period is not known' AS reason
WHERE NOT EXISTS (SELECT FROM application_settings)
