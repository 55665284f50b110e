-- Without a row of settings the grace period is unknown.
SELECT 'application_settings has no row: deletion_adjourned_period is not known' AS reason
WHERE NOT EXISTS (SELECT FROM application_settings)
