-- Without a row of settings the grace period is unknown; one below 0 would take groups early, and
-- before a very long one there is no date.
SELECT 'application_settings has no row: deletion_adjourned_period is not known' AS reason
WHERE NOT EXISTS (SELECT FROM application_settings)
UNION ALL
SELECT 'deletion_adjourned_period of application_settings is ' || s.days::text || ': not from 0 to 1000000 days' FROM (SELECT deletion_adjourned_period AS days FROM application_settings ORDER BY id DESC LIMIT 1) AS s
WHERE s.days NOT BETWEEN 0 AND 1000000
