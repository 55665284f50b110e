-- The part of the application's database that the jobs touch, for the demo and the tests.
-- Table, column and index definitions are those of a GitLab database (PostgreSQL 14 or later),
-- reduced to what is read or written here. A real database has more of everything, and code must
-- not notice the difference.
-- Loads into the first schema of the search_path.

-- Users:

CREATE TABLE organizations (
    id   bigserial PRIMARY KEY,
    name text NOT NULL DEFAULT '',
    path text NOT NULL
);

-- user_type: 0 a person, 4 service user, 5 the ghost that inherits what deleted users wrote, 6 a
-- project's or group's bot, 11 admin bot, 13 service account, 15 placeholder of an import, 17
-- import user, others internal bots.
-- state: active, blocked, deactivated, banned, ldap_blocked, blocked_pending_approval.
CREATE TABLE users (
    id              bigserial PRIMARY KEY,
    email           varchar NOT NULL DEFAULT '',
    username        varchar,
    name            varchar,
    state           varchar,
    admin           boolean NOT NULL DEFAULT false,
    user_type       smallint NOT NULL DEFAULT 0,
    organization_id bigint NOT NULL DEFAULT 1,
    created_by_id   bigint,
    created_at      timestamp,
    updated_at      timestamp
);
CREATE UNIQUE INDEX ON users (username);

-- Namespaces and projects:

-- type: User (personal), Group, Project (a project's own row). traversal_ids: the path of ids from
-- the root to here. visibility_level: 0 private, 10 internal, 20 public.
-- share_with_group_lock: the project_group_links of its own projects (not of those further below)
-- give nothing.
CREATE TABLE namespaces (
    id                    bigserial PRIMARY KEY,
    name                  varchar NOT NULL,
    path                  varchar NOT NULL,
    owner_id              bigint,
    type                  varchar NOT NULL DEFAULT 'User',
    parent_id             bigint REFERENCES namespaces (id) ON DELETE RESTRICT,
    visibility_level      integer NOT NULL DEFAULT 20,
    share_with_group_lock boolean DEFAULT false,
    traversal_ids         bigint[] NOT NULL DEFAULT '{}',
    organization_id       bigint NOT NULL DEFAULT 1,
    created_at            timestamp,
    updated_at            timestamp
);
CREATE INDEX ON namespaces (parent_id);
CREATE INDEX ON namespaces USING gin (traversal_ids);
CREATE INDEX ON namespaces (type, id);

-- deleted_at is set while a deletion is going on.
CREATE TABLE namespace_details (
    namespace_id   bigint PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
    created_at     timestamptz,
    updated_at     timestamptz,
    description    text,
    creator_id     bigint,
    deleted_at     timestamptz,
    state_metadata jsonb NOT NULL DEFAULT '{}'
);

-- namespace_id: the group or personal namespace it lives in; project_namespace_id: its own row in
-- namespaces.
CREATE TABLE projects (
    id                   bigserial PRIMARY KEY,
    name                 varchar,
    path                 varchar,
    namespace_id         bigint NOT NULL,
    project_namespace_id bigint REFERENCES namespaces (id) ON DELETE CASCADE,
    creator_id           bigint,
    archived             boolean NOT NULL DEFAULT false,
    pending_delete       boolean DEFAULT false,
    visibility_level     integer NOT NULL DEFAULT 0,
    organization_id      bigint NOT NULL DEFAULT 1,
    created_at           timestamp,
    updated_at           timestamp
);
CREATE INDEX ON projects (namespace_id);
CREATE UNIQUE INDEX ON projects (project_namespace_id);

-- A full path belongs to one namespace or project; old paths lead there.
CREATE TABLE routes (
    id           bigserial PRIMARY KEY,
    source_id    bigint NOT NULL,
    source_type  varchar NOT NULL,
    path         varchar NOT NULL,
    name         varchar,
    namespace_id bigint REFERENCES namespaces (id) ON DELETE CASCADE,
    created_at   timestamp,
    updated_at   timestamp
);
CREATE UNIQUE INDEX ON routes (path);
CREATE UNIQUE INDEX ON routes (source_type, source_id);

CREATE TABLE redirect_routes (
    id           bigserial PRIMARY KEY,
    source_id    bigint NOT NULL,
    source_type  varchar NOT NULL,
    path         varchar NOT NULL UNIQUE,
    namespace_id bigint REFERENCES namespaces (id) ON DELETE CASCADE
);

-- Memberships and rights:

-- (source_type, source_id) is a group ('Namespace') or a project ('Project'); nothing in the
-- database enforces it. access_level: 5 minimal, 10 guest, 15 planner, 20 reporter, 30 developer,
-- 40 maintainer, 50 owner.
-- user_id NULL: an invitation by e-mail. requested_at set: asks to be let in. state: 0 active, 1
-- awaiting.
CREATE TABLE members (
    id                  bigserial PRIMARY KEY,
    access_level        integer NOT NULL,
    source_id           bigint NOT NULL,
    source_type         varchar NOT NULL,
    user_id             bigint,
    notification_level  integer NOT NULL DEFAULT 3,
    type                varchar NOT NULL,
    created_at          timestamp,
    updated_at          timestamp,
    created_by_id       bigint,
    invite_email        varchar,
    invite_token        varchar,
    invite_accepted_at  timestamp,
    requested_at        timestamp,
    expires_at          date,
    ldap                boolean NOT NULL DEFAULT false,
    override            boolean NOT NULL DEFAULT false,
    state               smallint DEFAULT 0,
    member_namespace_id bigint REFERENCES namespaces (id) ON DELETE CASCADE,
    member_role_id      bigint,
    expiry_notified_at  timestamptz
);
-- No index serves the order (expires_at, id): `pruned migrate --indexes` offers one.
CREATE INDEX ON members (expires_at);
CREATE INDEX ON members (source_id, source_type, access_level, user_id) WHERE member_role_id IS NULL;
CREATE INDEX ON members (source_id, source_type, type, access_level);
CREATE INDEX ON members (user_id, access_level) WHERE requested_at IS NULL;
CREATE INDEX ON members (member_namespace_id, type, requested_at, id);
CREATE UNIQUE INDEX ON members (invite_token);

-- The order of an administrator: this user leaves the whole hierarchy around that namespace.
CREATE TABLE members_deletion_schedules (
    id              bigserial PRIMARY KEY,
    namespace_id    bigint NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    user_id         bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scheduled_by_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (namespace_id, user_id)
);

-- A group marked for deletion, when and by whom.
CREATE TABLE group_deletion_schedules (
    group_id               bigint PRIMARY KEY REFERENCES namespaces (id) ON DELETE CASCADE,
    user_id                bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    marked_for_deletion_on date NOT NULL
);
CREATE INDEX ON group_deletion_schedules (marked_for_deletion_on);

-- Direct members of shared_with_group have group_access at most in shared_group.
CREATE TABLE group_group_links (
    id                   bigserial PRIMARY KEY,
    shared_group_id      bigint NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    shared_with_group_id bigint NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    group_access         smallint NOT NULL DEFAULT 30,
    expires_at           date,
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    UNIQUE (shared_group_id, shared_with_group_id)
);
CREATE INDEX ON group_group_links (shared_with_group_id);

-- All who reach the group, not its direct members alone, have group_access at most in the project.
CREATE TABLE project_group_links (
    id           bigserial PRIMARY KEY,
    project_id   bigint NOT NULL,
    group_id     bigint NOT NULL,
    group_access integer NOT NULL DEFAULT 30,
    expires_at   date,
    created_at   timestamp,
    updated_at   timestamp
);
CREATE INDEX ON project_group_links (project_id);
CREATE INDEX ON project_group_links (group_id);

-- The result of the above for each user and project; derived, and updated by every program that
-- changes the above.
CREATE TABLE project_authorizations (
    user_id      bigint NOT NULL,
    project_id   bigint NOT NULL,
    access_level integer NOT NULL,
    PRIMARY KEY (user_id, project_id, access_level)
);
CREATE INDEX ON project_authorizations (project_id);

-- Notification settings and todos:

CREATE TABLE notification_settings (
    id          bigserial PRIMARY KEY,
    user_id     bigint NOT NULL,
    source_id   bigint,
    source_type varchar,
    level       integer NOT NULL DEFAULT 0,
    UNIQUE (user_id, source_id, source_type)
);

-- action 10: author_id asks for access. state: pending, done.
CREATE TABLE todos (
    id          bigserial PRIMARY KEY,
    user_id     bigint NOT NULL,
    author_id   bigint NOT NULL,
    project_id  bigint,
    group_id    bigint,
    target_id   bigint,
    target_type varchar NOT NULL,
    action      integer NOT NULL,
    state       varchar NOT NULL,
    created_at  timestamp,
    updated_at  timestamp
);
CREATE INDEX ON todos (author_id);
CREATE INDEX ON todos (user_id, state);
CREATE INDEX ON todos (group_id);
CREATE INDEX ON todos (project_id);

-- The instance:

-- The row with the highest id is in force. deletion_adjourned_period: days.
CREATE TABLE application_settings (
    id                        bigserial PRIMARY KEY,
    deletion_adjourned_period integer NOT NULL DEFAULT 30
);

-- namespace_id NULL: the target group of the import is gone, and the user can no longer be claimed.
CREATE TABLE import_placeholder_user_details (
    id                       bigserial PRIMARY KEY,
    placeholder_user_id      bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    namespace_id             bigint REFERENCES namespaces (id) ON DELETE SET NULL,
    deletion_attempts        integer NOT NULL DEFAULT 0,
    organization_id          bigint NOT NULL DEFAULT 1,
    last_deletion_attempt_at timestamptz,
    created_at               timestamptz NOT NULL DEFAULT now(),
    updated_at               timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON import_placeholder_user_details (deletion_attempts, last_deletion_attempt_at, id)
    WHERE namespace_id IS NULL;
CREATE INDEX ON import_placeholder_user_details (namespace_id);
CREATE INDEX ON import_placeholder_user_details (placeholder_user_id);

-- A user whose records are being migrated to the ghost user.
CREATE TABLE ghost_user_migrations (
    id                bigserial PRIMARY KEY,
    user_id           bigint NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    initiator_user_id bigint,
    hard_delete       boolean NOT NULL DEFAULT false,
    consume_after     timestamptz NOT NULL DEFAULT now(),
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now()
);

-- Files:

-- An object whose owner's row is gone. project_id has no foreign key: this row outlives the
-- project. file_store: 1 a local directory, 2 an object store.
CREATE TABLE ci_deleted_objects (
    id         bigserial PRIMARY KEY,
    file_store smallint NOT NULL DEFAULT 1,
    pick_up_at timestamptz NOT NULL DEFAULT now(),
    store_dir  text NOT NULL CHECK (char_length(store_dir) <= 1024),
    file       text NOT NULL,
    project_id bigint,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON ci_deleted_objects (pick_up_at);

CREATE TABLE ci_job_artifacts (
    id              bigserial PRIMARY KEY,
    project_id      bigint NOT NULL,
    job_id          bigint NOT NULL,
    file_type       integer NOT NULL DEFAULT 1,
    size            bigint,
    file_store      smallint NOT NULL DEFAULT 1,
    file            varchar,
    file_final_path text,
    expire_at       timestamptz,
    created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON ci_job_artifacts (project_id);

-- What users wrote: a few of the tables that refer to them. A real database has them all.

CREATE TABLE issues (
    id                bigserial PRIMARY KEY,
    project_id        bigint,
    author_id         bigint,
    updated_by_id     bigint,
    closed_by_id      bigint,
    last_edited_by_id bigint,
    title             varchar
);

CREATE TABLE issue_assignees (
    user_id  bigint NOT NULL,
    issue_id bigint NOT NULL,
    PRIMARY KEY (issue_id, user_id)
);

CREATE TABLE notes (
    id             bigserial PRIMARY KEY,
    project_id     bigint,
    author_id      bigint,
    updated_by_id  bigint,
    resolved_by_id bigint,
    note           text
);

CREATE TABLE merge_requests (
    id                bigserial PRIMARY KEY,
    target_project_id bigint,
    author_id         bigint,
    updated_by_id     bigint,
    merge_user_id     bigint,
    last_edited_by_id bigint,
    title             varchar
);

CREATE TABLE approvals (
    id               bigserial PRIMARY KEY,
    merge_request_id bigint,
    user_id          bigint NOT NULL
);

CREATE TABLE award_emoji (
    id      bigserial PRIMARY KEY,
    name    varchar,
    user_id bigint
);

CREATE TABLE reviews (
    id               bigserial PRIMARY KEY,
    author_id        bigint REFERENCES users (id) ON DELETE SET NULL,
    merge_request_id bigint,
    project_id       bigint
);
CREATE INDEX ON reviews (author_id);

-- user_id: the user reported; reporter_id: the user who reports.
CREATE TABLE abuse_reports (
    id          bigserial PRIMARY KEY,
    reporter_id bigint REFERENCES users (id) ON DELETE CASCADE,
    user_id     bigint,
    message     text
);
CREATE INDEX ON abuse_reports (reporter_id);

CREATE TABLE user_achievements (
    id                 bigserial PRIMARY KEY,
    achievement_id     bigint NOT NULL,
    user_id            bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    awarded_by_user_id bigint REFERENCES users (id) ON DELETE SET NULL,
    revoked_by_user_id bigint REFERENCES users (id) ON DELETE SET NULL
);
CREATE INDEX ON user_achievements (user_id);
CREATE INDEX ON user_achievements (awarded_by_user_id);
CREATE INDEX ON user_achievements (revoked_by_user_id);
