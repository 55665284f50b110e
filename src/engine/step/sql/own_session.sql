-- Session `a` is one of this service: by its name, or by the role and name of this session, which
-- the url gave to it (a session may have got another name since).
(a.application_name LIKE 'pruned%'
 OR a.usename = session_user AND a.application_name <> ''
    AND a.application_name IN (SELECT s.reset_val FROM pg_settings s WHERE s.name = 'application_name'
                               UNION ALL SELECT pg_catalog.current_setting('application_name')))
