-- Returns a row if any row is left that the files beside this one delete. Fast by the same indexes.
SELECT true AS left
WHERE EXISTS (SELECT FROM ci_job_artifacts a WHERE a.project_id = ANY (:project::bigint[]))
   OR EXISTS (SELECT FROM members m WHERE m.source_type::text = 'Project' AND m.source_id = ANY (:project::bigint[]))
   OR EXISTS (SELECT FROM members m WHERE m.source_type::text = 'Namespace' AND m.source_id = ANY (:namespace::bigint[]))
   OR EXISTS (SELECT FROM members m WHERE m.member_namespace_id = ANY (:namespace::bigint[]))
   OR EXISTS (SELECT FROM notification_settings s WHERE s.source_type::text = 'Project' AND s.source_id = ANY (:project::bigint[]))
   OR EXISTS (SELECT FROM notification_settings s WHERE s.source_type::text = 'Namespace' AND s.source_id = ANY (:namespace::bigint[]))
   OR EXISTS (SELECT FROM redirect_routes r WHERE r.source_type::text = 'Project' AND r.source_id = ANY (:project::bigint[]))
   OR EXISTS (SELECT FROM redirect_routes r WHERE r.source_type::text = 'Namespace' AND r.source_id = ANY (:namespace::bigint[]))
   OR EXISTS (SELECT FROM redirect_routes r WHERE r.namespace_id = ANY (:namespace::bigint[]))
