-- A realistic instance for `pruned demo`: some 55,000 memberships in 2,000 groups and 5,500
-- projects, with work for every job. Each load makes the same rows, except for the dates, which are
-- relative to today.
-- Loads after schemas/app/tables.sql, between schemas/app/fill_begin.sql, which adds what follows
-- from these rows, and fill_end.sql, in one session; takes a few seconds.

-- A deterministic die: the same throw of the same die always shows the same side. Nothing here is
-- random.
CREATE FUNCTION pg_temp.dice(throw bigint, die bigint, sides bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS 'SELECT (pg_catalog.hashint8extended(throw, die) & 9223372036854775807) % sides';
CREATE FUNCTION pg_temp.pick(words text[], n bigint) RETURNS text LANGUAGE sql IMMUTABLE
    AS 'SELECT words[1 + n % pg_catalog.cardinality(words)]';
CREATE FUNCTION pg_temp.slug(name text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$SELECT pg_catalog.replace(pg_catalog.lower(name), ' ', '-')$$;
CREATE FUNCTION pg_temp.ago(days bigint) RETURNS timestamp LANGUAGE sql STABLE
    AS $$SELECT pg_catalog.date_trunc('second', now() AT TIME ZONE 'UTC') - days * interval '1 day'$$;
-- Dates are UTC, whatever zone the session lives in.
CREATE FUNCTION pg_temp.today() RETURNS date LANGUAGE sql STABLE AS $$SELECT (now() AT TIME ZONE 'UTC')::date$$;

INSERT INTO organizations (id, name, path) VALUES (1, 'Default', 'default');
INSERT INTO application_settings (id, deletion_adjourned_period) VALUES (1, 7), (2, 30);

-- People: 80 first names x 100 family names, each pair once.
INSERT INTO users (id, username, name, email, state, user_type, created_at, updated_at)
SELECT 101 + i, pg_catalog.lower(f || '.' || l), f || ' ' || l, pg_catalog.lower(f || '.' || l) || '@example.com',
       CASE WHEN pg_temp.dice(i, 1, 100) < 92 THEN 'active' WHEN pg_temp.dice(i, 1, 100) < 96 THEN 'blocked'
            WHEN pg_temp.dice(i, 1, 100) < 99 THEN 'deactivated' ELSE 'banned' END,
       0, pg_temp.ago(400 + pg_temp.dice(i, 2, 1400)), pg_temp.ago(pg_temp.dice(i, 3, 300))
FROM pg_catalog.generate_series(0, 7999) i,
     LATERAL (SELECT pg_temp.pick('{Ada,Agnes,Akira,Alan,Alma,Amara,Amir,Anders,Anika,Anton,Ayse,Beatriz,Bela,Benoit,
                 Bo,Carla,Carlos,Chen,Chloe,Clara,Dagmar,Daniel,Diego,Dora,Edith,Elif,Emil,Emma,Enzo,Eva,Farah,Felix,
                 Fiona,Frida,Georg,Grace,Greta,Hana,Hans,Helga,Hugo,Ines,Ingrid,Isaac,Ivan,Jana,Jin,Joao,Johanna,Jonas,
                 Julia,Kamal,Karin,Kofi,Lars,Laura,Leila,Lena,Liam,Lin,Lucia,Luka,Mai,Marco,Maria,Mateo,Milan,Mina,
                 Nadia,Nils,Nora,Olga,Omar,Oskar,Paula,Priya,Ravi,Rosa,Sami,Yuki}', i)) a (f),
     LATERAL (SELECT pg_temp.pick('{Abbas,Adler,Ahmed,Almeida,Andersen,Aydin,Bakker,Bauer,Becker,Berg,Bianchi,Blom,
                 Brandt,Brown,Castro,Chang,Clarke,Conti,Costa,Cruz,Dahl,Davies,Diallo,Dubois,Eklund,Engel,Fabre,Falk,
                 Farkas,Ferrari,Fischer,Fontaine,Forsberg,Frank,Fuchs,Garcia,Gomez,Grant,Greco,Gruber,Gupta,Haas,Hahn,
                 Hansen,Harris,Hassan,Hoffmann,Horvat,Huber,Ito,Jansen,Jensen,Jones,Kaya,Keller,Khan,Kim,Klein,Koch,
                 Kovacs,Kumar,Lang,Larsen,Lee,Lindgren,Lopez,Maier,Mancini,Martin,Mensah,Meyer,Moreau,Moser,Mueller,
                 Nakamura,Nguyen,Nielsen,Novak,Okafor,Olsen,Ortiz,Patel,Petrov,Popescu,Reyes,Ricci,Rossi,Roux,Sato,
                 Schmidt,Silva,Singh,Suzuki,Tanaka,Toth,Vargas,Virtanen,Wagner,Weber,Wolf}',
                 i / 80 + i % 80 * 37)) b (l);

-- The instance's own users, and accounts without an owner.
INSERT INTO users (id, username, name, email, state, admin, user_type, created_at, updated_at) VALUES
    (1, 'root', 'Administrator', 'root@example.com', 'active', true, 0, pg_temp.ago(1900), pg_temp.ago(3)),
    (2, 'ghost', 'Ghost User', 'ghost@example.com', 'active', false, 5, pg_temp.ago(1900), pg_temp.ago(1900)),
    (3, 'admin-bot', 'Admin Bot', 'admin-bot@example.com', 'active', false, 11, pg_temp.ago(1900), pg_temp.ago(1900)),
    (4, 'support-bot', 'Support Bot', 'support-bot@example.com', 'active', false, 1, pg_temp.ago(1900),
        pg_temp.ago(1900)),
    (5, 'alert-bot', 'Alert Bot', 'alert-bot@example.com', 'active', false, 2, pg_temp.ago(1900), pg_temp.ago(1900)),
    (6, 'import-user', 'Import User', 'import@example.com', 'active', false, 17, pg_temp.ago(700), pg_temp.ago(700));
INSERT INTO users (id, username, name, email, state, user_type, created_by_id, created_at, updated_at)
SELECT 8200 + i, 'service_account_' || pg_temp.slug(n) || '_' || i, 'Service account ' || n || ' ' || i,
       'service-' || i || '@example.com', 'active', 13, 1, pg_temp.ago(300), pg_temp.ago(300)
FROM pg_catalog.generate_series(1, 40) i, LATERAL (SELECT pg_temp.pick('{deploy,renovate,backup,monitoring,release}', i)) w (n);

-- Root groups, and three levels below them.
CREATE TEMP TABLE demo_groups (id bigint PRIMARY KEY, parent_id bigint, level int, name text);
INSERT INTO demo_groups
SELECT 20001 + i, NULL, 1,
       pg_temp.pick('{Northwind,Blue Harbor,Ironwood,Silverlake,Redstone,Evergreen,Brightwater,Oakridge,Summit,Granite,
           Copperfield,Moonrise}', i) || ' ' ||
       pg_temp.pick('{Logistics,Energy,Health,Robotics,Insurance,Foods,Media,Mobility,Systems,Research}', i / 12)
FROM pg_catalog.generate_series(0, 119) i;
INSERT INTO demo_groups
SELECT 20201 + i, 20001 + i % 120, 2,
       pg_temp.pick('{Backend,Frontend,Platform,Mobile,Data,Security,Infrastructure,Design,Documentation,Quality,
           Operations,Support,Analytics,Integration,Finance,Commerce}', i % 120 * 5 + i / 120)
FROM pg_catalog.generate_series(0, 479) i;
INSERT INTO demo_groups
SELECT 21001 + i, 20201 + i % 480, 3,
       pg_temp.pick('{Payments,Search,Billing,Identity,Messaging,Reporting,Catalog,Checkout,Shipping,Pricing,Fraud,
           Notifications,Scheduling,Storage,Networking,Build,Release,Observability,Compliance,Onboarding,Maps,Forecasting,
           Translation,Accounts}', i % 480 * 7 + i / 480)
FROM pg_catalog.generate_series(0, 899) i;
INSERT INTO demo_groups
SELECT 22001 + i, 21001 + i, 4,
       pg_temp.pick('{Experiments,Legacy,Tooling,Prototypes,Migration,Contractors,Sandbox,Partners,Interns,Archive,
           Spikes,Benchmarks}', i * 5)
FROM pg_catalog.generate_series(0, 599) i;

-- Groups being deleted: 24 roots, half of them with two subgroups.
INSERT INTO demo_groups
SELECT 23001 + i, NULL, 1,
       pg_temp.pick('{Hackathon,Offsite,Pilot,Proof of Concept,Workshop,Summer School}', i) || ' ' || 2019 + i / 6
FROM pg_catalog.generate_series(0, 23) i;
INSERT INTO demo_groups
SELECT 23101 + i, 23001 + i / 2, 2, pg_temp.pick('{Entries,Material}', i) FROM pg_catalog.generate_series(0, 23) i;

-- A group marked for deletion has lent its path to others: a suffix with its id is added to name
-- and path.
INSERT INTO namespaces (id, name, path, type, parent_id, created_at, updated_at)
SELECT g.id, g.name || s.suffix, pg_temp.slug(g.name) || s.suffix, 'Group', g.parent_id,
       pg_temp.ago(500 + pg_temp.dice(g.id, 5, 1000)), pg_temp.ago(pg_temp.dice(g.id, 6, 400))
FROM demo_groups g,
     LATERAL (SELECT CASE WHEN g.parent_id IS NULL AND g.id > 23000 THEN '-deletion_scheduled-' || g.id ELSE '' END) s (suffix)
ORDER BY g.level, g.id;
UPDATE namespaces SET visibility_level = CASE pg_temp.dice(traversal_ids[1], 4, 10) WHEN 0 THEN 20 WHEN 1 THEN 10 ELSE 0 END;
INSERT INTO namespaces (id, name, path, owner_id, type, visibility_level, created_at, updated_at)
SELECT id, name, username, id, 'User', 20, created_at, updated_at FROM users WHERE user_type = 0;

-- Projects 1-4000 in groups, 4001-5500 people's own, 5501-5600 in one root that has many, 5601-5720
-- in the groups being deleted.
CREATE TEMP TABLE demo_projects AS
SELECT p.id, p.namespace_id, n.traversal_ids,
       pg_temp.pick('{API,Web App,CLI,Deploy Scripts,Handbook,Gateway,Worker,Scheduler,Importer,Exporter,Dashboard,Docs,
           Helm Charts,Terraform,Design System,Mobile App,Test Data,Load Tests,Runbooks,SDK,Website,Notebooks,Models,
           Pipelines,Templates,Proxy,Cache,Queue,Auth,Ledger,Mailer,Parser,Renderer,Playground,Dotfiles,Notes,Blog,
           Toolbox,Benchmarks,Examples,Fixtures,Monitoring,Alerts,Backup,Indexer,Crawler,Archive,Glossary}',
           p.namespace_id * 13 + row_number() OVER (PARTITION BY p.namespace_id ORDER BY p.id)) AS name
FROM (SELECT i AS id,
             CASE WHEN i <= 4000 THEN
                       CASE pg_temp.dice(i, 7, 4) WHEN 0 THEN 20001 + pg_temp.dice(i, 8, 120)
                           WHEN 1 THEN 20201 + pg_temp.dice(i, 8, 480) WHEN 2 THEN 21001 + pg_temp.dice(i, 8, 900)
                           ELSE 22001 + pg_temp.dice(i, 8, 600) END
                  WHEN i <= 5500 THEN 101 + pg_temp.dice(i, 9, 8000)
                  WHEN i <= 5600 THEN 20204 + 120 * (i % 4)
                  WHEN i % 2 = 0 THEN 23001 + i / 2 % 24 ELSE 23101 + i / 2 % 24 END AS namespace_id
      FROM pg_catalog.generate_series(1, 5720) i) p
JOIN namespaces n ON n.id = p.namespace_id;
INSERT INTO projects (id, name, path, namespace_id, project_namespace_id, creator_id, archived, visibility_level,
    created_at, updated_at)
SELECT id, name, pg_temp.slug(name), namespace_id, 30000 + id,
       CASE WHEN namespace_id < 20000 THEN namespace_id ELSE 101 + pg_temp.dice(id, 13, 8000) END,
       pg_temp.dice(id, 14, 20) = 0, CASE pg_temp.dice(id, 10, 8) WHEN 0 THEN 20 WHEN 1 THEN 10 ELSE 0 END,
       pg_temp.ago(400 + pg_temp.dice(id, 11, 700)), pg_temp.ago(pg_temp.dice(id, 12, 300))
FROM demo_projects;
-- Some projects have been renamed once.
INSERT INTO redirect_routes (source_id, source_type, path, namespace_id)
SELECT p.id, 'Project', above.path || '/old-' || pg_temp.slug(p.name), 30000 + p.id
FROM demo_projects p JOIN routes above ON above.source_type = 'Namespace' AND above.source_id = p.namespace_id
WHERE p.id % 23 = 0;
UPDATE namespace_details SET creator_id = 101 + pg_temp.dice(namespace_id, 15, 8000);

-- Bots of access tokens. Bot 9001 + i belongs to project 3 i + 1; every tenth is a group's.
CREATE TEMP TABLE demo_bots AS
SELECT 9001 + i AS id, CASE WHEN i % 10 = 9 THEN 'Namespace' ELSE 'Project' END AS source_type,
       CASE WHEN i % 10 = 9 THEN 20001 + i / 10 ELSE 3 * i + 1 END AS source_id
FROM pg_catalog.generate_series(0, 1199) i;
INSERT INTO users (id, username, name, email, state, user_type, created_by_id, created_at, updated_at)
SELECT id, CASE source_type WHEN 'Project' THEN 'project_' ELSE 'group_' END || source_id || '_bot_' || pg_catalog.to_hex(id),
       pg_temp.pick('{Deploy token,CI token,Renovate,Backup,Release notes,Mirror}', id),
           'bot-' || id || '@example.com', 'active', 6,
       101 + pg_temp.dice(id, 16, 8000), pg_temp.ago(370), pg_temp.ago(370)
FROM demo_bots;
-- One was put into a second project as well, where it has expired too.
INSERT INTO demo_bots VALUES (9001, 'Project', 2);

-- Memberships. Seat 1, 2, ... of a group: owners first, then maintainers, developers and the rest.
CREATE TEMP TABLE demo_members (source_type text, source_id bigint, user_id bigint, access_level int);
INSERT INTO demo_members
SELECT DISTINCT ON (g.id, u.id) 'Namespace', g.id, u.id,
       CASE WHEN seat <= owners THEN 50 WHEN seat <= owners + 2 THEN 40
            WHEN pg_temp.dice(g.id * 100 + seat, 17, 10) < 6 THEN 30 ELSE (ARRAY[5, 10, 15, 20])[1 + seat % 4] END
FROM demo_groups g,
     LATERAL (SELECT CASE g.level WHEN 1 THEN 2 + pg_temp.dice(g.id, 18, 2) WHEN 2 THEN 1 + pg_temp.dice(g.id, 18, 2)
                     ELSE pg_temp.dice(g.id, 18, 2) END,
                     (ARRAY[9, 13, 11, 8])[g.level]) s (owners, seats),
     pg_catalog.generate_series(1, CASE WHEN g.id > 23000 THEN 6 ELSE seats END) seat,
     LATERAL (SELECT 101 + pg_temp.dice(g.id * 100 + seat, 19, 8000)) u (id)
ORDER BY g.id, u.id, seat;
INSERT INTO demo_members
SELECT DISTINCT ON (p.id, u.id) 'Project', p.id, u.id,
       CASE WHEN p.namespace_id < 20000 AND seat = 1 THEN 50 WHEN seat = 1 THEN 40 ELSE 30 - 10 * (seat % 3) END
FROM demo_projects p, pg_catalog.generate_series(1, CASE WHEN p.namespace_id < 20000 THEN 1 ELSE 7 END) seat,
     LATERAL (SELECT CASE WHEN p.namespace_id < 20000 THEN p.namespace_id
                          ELSE 101 + pg_temp.dice(p.id * 100 + seat, 20, 8000) END) u (id)
ORDER BY p.id, u.id, seat;

-- Seven in a hundred have expired during the past year, as many will.
INSERT INTO members (id, access_level, source_id, source_type, user_id, expires_at, state,
                     created_by_id, created_at, updated_at)
SELECT 1000 + n, access_level, source_id, source_type, user_id,
       CASE WHEN source_type = 'Project' OR source_id < 23000 THEN
           CASE WHEN pg_temp.dice(n, 21, 100) < 7 THEN pg_temp.today() - pg_temp.dice(n, 22, 365)::int
                WHEN pg_temp.dice(n, 21, 100) < 14 THEN pg_temp.today() + 1 + pg_temp.dice(n, 22, 365)::int END END,
       CASE WHEN access_level < 50 AND pg_temp.dice(n, 23, 200) = 0 THEN 1 ELSE 0 END,
       101 + pg_temp.dice(n, 24, 8000), pg_temp.ago(370 + pg_temp.dice(n, 25, 300)), pg_temp.ago(370)
FROM (SELECT *, row_number() OVER (ORDER BY source_type, source_id, user_id) AS n FROM demo_members) m;

-- A third of the bots has expired with its token.
INSERT INTO members (id, access_level, source_id, source_type, user_id, expires_at,
    created_at, updated_at)
SELECT 70000 + row_number() OVER (ORDER BY id, source_id), CASE WHEN id % 4 = 0 THEN 30 ELSE 40 END, source_id,
    source_type, id,
       pg_temp.today() + CASE WHEN id % 3 = 1 THEN -pg_temp.dice(id, 26, 365)::int ELSE 1 + pg_temp.dice(id, 26,
           365)::int END,
       pg_temp.ago(370), pg_temp.ago(370)
FROM demo_bots;

-- Invitations that were not accepted, some past their date, and access requests.
INSERT INTO members (id, access_level, source_id, source_type, invite_email, invite_token,
                     expires_at, created_by_id, created_at, updated_at)
SELECT 80000 + i, 30, g, 'Namespace', 'guest' || i || '@example.org', 'invitation-' || i,
       CASE i % 8 WHEN 0 THEN pg_temp.today() - pg_temp.dice(i, 27, 365)::int WHEN 1 THEN pg_temp.today() + 30 END,
       101 + pg_temp.dice(i, 28, 8000), pg_temp.ago(370), pg_temp.ago(370)
FROM pg_catalog.generate_series(1, 1200) i, LATERAL (SELECT 20201 + pg_temp.dice(i, 29, 480)) x (g);
INSERT INTO members (id, access_level, source_id, source_type, user_id, requested_at,
    expires_at,
                     created_at, updated_at)
SELECT 90000 + i, 30, s.id, s.type, u.id,
       pg_temp.ago(r), CASE WHEN i % 10 = 0 THEN pg_temp.today() - pg_temp.dice(i, 30, 200)::int END, pg_temp.ago(r),
           pg_temp.ago(r)
FROM pg_catalog.generate_series(1, 1000) i, LATERAL (SELECT 201 + pg_temp.dice(i, 31, 360)) d (r),
     LATERAL (SELECT 'Namespace', 20001 + pg_temp.dice(i, 32, 120) WHERE i % 2 = 0
              UNION ALL SELECT 'Project', 1 + pg_temp.dice(i, 32, 4000) WHERE i % 2 = 1) s (type, id),
     LATERAL (SELECT 101 + pg_temp.dice(i, 33, 8000)) u (id)
WHERE NOT EXISTS (SELECT FROM demo_members m WHERE (m.source_type, m.source_id, m.user_id) = (s.type, s.id, u.id));

-- Last owners. In every tenth root group all owners expire on one day: one of them has to stay ...
UPDATE members SET expires_at = pg_temp.today() - (source_id % 300)::int
WHERE source_type = 'Namespace' AND access_level = 50 AND source_id BETWEEN 20001 AND 20120 AND source_id % 10 = 1;
-- ... in six others the first owner expires, and the rest cannot sign in any more ...
UPDATE users SET state = 'active' WHERE id IN (
    SELECT pg_catalog.min(user_id) FROM members WHERE source_type = 'Namespace' AND access_level = 50
    AND source_id BETWEEN 20001 AND 20120 AND (source_id % 20 = 7 OR source_id % 10 = 1) GROUP BY source_id);
UPDATE users SET state = 'blocked' WHERE id IN (
    SELECT user_id FROM (SELECT user_id, row_number() OVER (PARTITION BY source_id ORDER BY user_id) AS nth
        FROM members
        WHERE source_type = 'Namespace' AND access_level = 50 AND source_id BETWEEN 20001 AND 20120
            AND source_id % 20 = 7) o
    WHERE nth > 1);
UPDATE members SET expires_at = pg_temp.today() - 12
WHERE source_type = 'Namespace' AND access_level = 50 AND source_id BETWEEN 20001 AND 20120 AND source_id % 20 = 7;
-- ... and in three all of them are blocked, so that only the owners of subgroups are left.
UPDATE users SET state = 'blocked' WHERE id IN (SELECT user_id FROM members
    WHERE source_type = 'Namespace' AND access_level = 50 AND source_id BETWEEN 20001 AND 20120
        AND source_id % 40 = 13);
UPDATE members m SET expires_at = pg_temp.today() - 30 - (source_id % 50)::int FROM namespaces n
WHERE n.id = m.source_id AND m.source_type = 'Namespace' AND m.access_level = 50 AND n.parent_id % 40 = 13
AND n.parent_id BETWEEN 20001 AND 20120;

-- Shares between groups and of projects with groups, some over.
INSERT INTO group_group_links (shared_group_id, shared_with_group_id, group_access, expires_at)
SELECT DISTINCT ON (a, b) a, b, (ARRAY[20, 30, 40, 50])[1 + i % 4],
       CASE i % 5 WHEN 0 THEN pg_temp.today() - 5 WHEN 1 THEN pg_temp.today() + 90 END
FROM pg_catalog.generate_series(1, 60) i,
     LATERAL (SELECT 20201 + pg_temp.dice(i, 34, 480), 21001 + pg_temp.dice(i, 35, 900)) x (a, b)
ORDER BY a, b;
INSERT INTO project_group_links (project_id, group_id, group_access, expires_at, created_at, updated_at)
SELECT 1 + pg_temp.dice(i, 36, 4000), 20201 + pg_temp.dice(i, 37, 480), (ARRAY[20, 30, 40])[1 + i % 3],
       CASE i % 6 WHEN 0 THEN pg_temp.today() - 2 WHEN 1 THEN pg_temp.today() + 60 END, pg_temp.ago(200),
           pg_temp.ago(200)
FROM pg_catalog.generate_series(1, 200) i;

-- The database refuses one removal, for a good reason.
INSERT INTO members (id, access_level, source_id, source_type, user_id, expires_at,
    created_at, updated_at)
VALUES (117, 30, 20042, 'Namespace', 4711, pg_temp.today() - 40, pg_temp.ago(500),
    pg_temp.ago(500));
CREATE FUNCTION keep_member_on_legal_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'membership % is on legal hold until the end of the audit', OLD.id
        USING ERRCODE = 'integrity_constraint_violation', HINT = 'Ask the legal department to lift the hold.';
END $$;
CREATE TRIGGER members_legal_hold BEFORE DELETE ON members FOR EACH ROW WHEN (OLD.id = 117)
    EXECUTE FUNCTION keep_member_on_legal_hold();

-- People who leave a company: all their memberships below one root are to go.
-- Ordered by an owner (1-8), by a user who owns nothing there (9-10), for a user who has left
-- already (11), and for a user with more memberships than one step takes (12).
INSERT INTO members (id, access_level, source_id, source_type, user_id, created_at,
    updated_at)
SELECT 200 + row_number() OVER (ORDER BY p.id), 30, p.id, 'Project', 808,
    pg_temp.ago(300), pg_temp.ago(300)
FROM demo_projects p
WHERE p.traversal_ids[1] BETWEEN 20001 AND 20012 AND NOT EXISTS (
    SELECT FROM demo_members m WHERE m.source_type = 'Project' AND m.source_id = p.id AND m.user_id = 808);
INSERT INTO members (id, access_level, source_id, source_type, user_id, created_at,
    updated_at)
SELECT 900 + i, 30, g, 'Namespace', 808, pg_temp.ago(300), pg_temp.ago(300)
FROM pg_catalog.generate_series(0, 3) i, LATERAL (SELECT 20201 + 120 * i + 3) x (g);
INSERT INTO members_deletion_schedules (id, namespace_id, user_id, scheduled_by_id)
SELECT i, root, CASE WHEN i = 11 THEN 2424 ELSE leaver END, CASE WHEN i BETWEEN 9 AND 10 THEN 303 WHEN i = 8 THEN 1
    ELSE actor END
FROM pg_catalog.generate_series(1, 11) i, LATERAL (SELECT 20001 + i) r (root),
     LATERAL (SELECT pg_catalog.min(m.user_id) FROM members m JOIN users u ON u.id = m.user_id WHERE m.source_type = 'Namespace'
              AND m.source_id = root AND m.access_level = 50 AND u.state = 'active') o (actor),
     LATERAL (SELECT pg_catalog.max(m.user_id) FROM members m JOIN users u ON u.id = m.user_id WHERE m.source_type = 'Namespace'
              AND m.source_id = root AND m.access_level < 50 AND u.user_type = 0) l (leaver);
INSERT INTO members (id, access_level, source_id, source_type, user_id, created_at,
    updated_at)
SELECT 95000 + row_number() OVER (ORDER BY s.id, p.id), 20 + 10 * (p.id % 2), p.id, 'Project', s.user_id,
       pg_temp.ago(400), pg_temp.ago(400)
FROM members_deletion_schedules s JOIN demo_projects p ON p.traversal_ids[1] = s.namespace_id AND p.id % 6 = 0
WHERE s.id <= 10 AND NOT EXISTS (
    SELECT FROM members m WHERE m.source_type = 'Project' AND m.source_id = p.id AND m.user_id = s.user_id);
INSERT INTO members_deletion_schedules (id, namespace_id, user_id, scheduled_by_id) VALUES (12, 20004, 808, 1);

-- Groups past their time: 12 due, 6 that have some days left, one whose scheduler is no owner any
-- more (restored), and a subgroup of another that is marked as well. The rest of the 24 have been
-- marked in error and the mark was lifted.
INSERT INTO group_deletion_schedules (group_id, user_id, marked_for_deletion_on)
SELECT g.id, CASE WHEN g.id = 23013 THEN 404 ELSE o.user_id END, pg_temp.today() - CASE
    WHEN g.id <= 23013 THEN 30 + (g.id % 9)::int
       ELSE 5 + (g.id % 20)::int END
FROM demo_groups g,
     LATERAL (SELECT m.user_id FROM members m WHERE m.source_type = 'Namespace' AND m.source_id = g.id
         AND m.access_level = 50
              ORDER BY m.user_id LIMIT 1) o
WHERE g.id BETWEEN 23001 AND 23019;
UPDATE users SET state = 'active' WHERE id IN (SELECT user_id FROM group_deletion_schedules);
INSERT INTO group_deletion_schedules
SELECT 23103, user_id, pg_temp.today() - 45 FROM group_deletion_schedules WHERE group_id = 23002;
UPDATE namespaces n SET name = pg_temp.pick(pg_catalog.string_to_array(n.name, '-deletion_scheduled-'), 0),
       path = pg_temp.pick(pg_catalog.string_to_array(n.path, '-deletion_scheduled-'), 0)
WHERE n.id BETWEEN 23020 AND 23024;
UPDATE routes r SET path = pg_catalog.replace(r.path, x.suffix, ''), name = pg_catalog.replace(r.name, x.suffix, '')
FROM (SELECT n.id, '-deletion_scheduled-' || n.traversal_ids[1] AS suffix FROM namespaces n
      WHERE n.traversal_ids[1] BETWEEN 23020 AND 23024) x
WHERE r.namespace_id = x.id;
-- Build results of their projects: most with a file at a path of its own, some at the path made
-- from ids, a few without.
INSERT INTO ci_job_artifacts (project_id, job_id, file_type, size, file, file_final_path, created_at)
SELECT p.id, 100000 + p.id * 100 + i, 1 + i % 3, 1000 + pg_temp.dice(p.id * 100 + i, 38, 90000),
       CASE WHEN i % 15 = 14 THEN NULL ELSE pg_temp.pick('{artifacts.zip,metadata.gz,job.log}', i) END,
       CASE WHEN i % 15 < 10 THEN '@final/' || pg_catalog.substr(h, 1, 2) || '/' || pg_catalog.substr(h, 3, 2) || '/' || h END,
       (pg_temp.ago(60 + pg_temp.dice(p.id * 100 + i, 39, 400))) AT TIME ZONE 'UTC'
FROM demo_projects p, pg_catalog.generate_series(0, 29) i,
     LATERAL (SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(p.id || '/' || i, 'UTF8')), 'hex')) x (h)
WHERE p.id > 5600;

-- What people and bots wrote.
INSERT INTO issues (id, project_id, author_id, updated_by_id, closed_by_id, title)
SELECT i, p, CASE WHEN i % 12 = 0 THEN 9001 + pg_temp.dice(i, 40, 1200) ELSE 101 + pg_temp.dice(i, 40, 8000) END,
       CASE WHEN i % 3 = 0 THEN 101 + pg_temp.dice(i, 41, 8000) END, CASE WHEN i % 7 = 0 THEN 101 + pg_temp.dice(i,
           42, 8000) END,
       pg_temp.pick('{Crash at,Slow,Wrong total on,Translate,Document,Remove dead code from,Flaky test in,Upgrade}',
           i) || ' '
       || pg_temp.pick('{start-up,login,export,search,the settings page,invoices,the importer}', i / 8)
FROM pg_catalog.generate_series(1, 4000) i, LATERAL (SELECT 1 + pg_temp.dice(i, 43, 4000)) x (p);
INSERT INTO issue_assignees (issue_id, user_id)
SELECT i, CASE WHEN i % 40 = 0 THEN 9001 + pg_temp.dice(i, 44, 1200) ELSE 101 + pg_temp.dice(i, 44, 8000) END
FROM pg_catalog.generate_series(1, 4000, 2) i;
INSERT INTO notes (project_id, author_id, note)
SELECT 1 + pg_temp.dice(i, 43, 4000), CASE WHEN i % 9 = 0 THEN 9001 + pg_temp.dice(i, 45, 1200)
    ELSE 101 + pg_temp.dice(i, 45, 8000) END,
       pg_temp.pick('{Looks good to me.,Can you rebase?,Released.,I see the same here.,Pipeline is green again.}', i)
FROM pg_catalog.generate_series(1, 6000) i;
INSERT INTO merge_requests (id, target_project_id, author_id, merge_user_id, title)
SELECT i, 1 + pg_temp.dice(i, 46, 4000), CASE WHEN i % 5 = 0 THEN 9001 + pg_temp.dice(i, 47, 1200)
    ELSE 101 + pg_temp.dice(i, 47, 8000) END,
       CASE WHEN i % 4 > 0 THEN 101 + pg_temp.dice(i, 48, 8000) END,
       pg_temp.pick('{Update dependencies,Fix the build,Add a cache,Simplify the query,Rename the module}', i)
FROM pg_catalog.generate_series(1, 2000) i;
INSERT INTO approvals (merge_request_id, user_id) SELECT i, 101 + pg_temp.dice(i, 49, 8000) FROM pg_catalog.generate_series(1,
    2000, 3) i;
INSERT INTO award_emoji (name, user_id)
SELECT pg_temp.pick('{thumbsup,tada,heart,eyes}', i), CASE WHEN i % 50 = 0 THEN 9001 + pg_temp.dice(i, 50, 1200)
    ELSE 101 + pg_temp.dice(i, 50, 8000) END
FROM pg_catalog.generate_series(1, 1500) i;

-- An import whose group is gone: placeholders for authors that were not claimed. Every sixth wrote
-- something that is still here, so it stays. Some have been tried before, one for the last time.
INSERT INTO users (id, username, name, email, state, user_type, created_at, updated_at)
SELECT 11000 + i, 'import_' || h.username || '_placeholder', 'Placeholder ' || h.name,
    'placeholder-' || i || '@example.com', 'active', 15,
       pg_temp.ago(200), pg_temp.ago(200)
FROM pg_catalog.generate_series(1, 600) i JOIN users h ON h.id = 101 + i * 13;
INSERT INTO import_placeholder_user_details (id, placeholder_user_id, namespace_id, deletion_attempts,
    last_deletion_attempt_at)
SELECT i, 11000 + i, CASE WHEN i > 300 THEN 20001 + i % 120 END,
       CASE WHEN i > 300 OR i % 5 > 0 THEN 0 WHEN i = 300 THEN 15 WHEN i % 50 = 0 THEN 14 ELSE 1 + i % 12 END,
       CASE WHEN i <= 300 AND i % 5 = 0 THEN now() - CASE WHEN i % 25 = 5 THEN interval '1 day'
           ELSE interval '3 days' END END
FROM pg_catalog.generate_series(1, 600) i;
INSERT INTO issues (id, project_id, author_id, title) SELECT 5000 + i, 1 + pg_temp.dice(i, 51, 4000), 11000 + i,
    'Imported: fix the build'
FROM pg_catalog.generate_series(6, 600, 12) i;
INSERT INTO notes (project_id, author_id, note) SELECT 1 + pg_temp.dice(i, 51, 4000), 11000 + i, 'Imported comment.'
FROM pg_catalog.generate_series(12, 600, 12) i;

-- Files whose rows are gone, for three days now; the last few are leased or not yet due.
INSERT INTO ci_deleted_objects (id, pick_up_at, store_dir, file, project_id, created_at)
SELECT i, t, pg_catalog.substr(h, 1, 2) || '/' || pg_catalog.substr(h, 3, 2) || '/' || h || '/' || pg_catalog.to_char(t AT TIME ZONE 'UTC',
    'YYYY_MM_DD') || '/' || 500000 + i || '/' || 900000 + i,
       pg_temp.pick('{artifacts.zip,metadata.gz,job.log}', i), p, least(t, now())
FROM pg_catalog.generate_series(1, 2500) i,
     LATERAL (SELECT 1 + pg_temp.dice(i, 52, 4000), now() - (i * 100 - 2000) * interval '1 second') x (p, t),
     LATERAL (SELECT pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(p::text, 'UTF8')), 'hex')) y (h);

-- Settings and to-do lists of members.
INSERT INTO notification_settings (user_id, source_id, source_type, level)
SELECT DISTINCT user_id, source_id, source_type, 1 + (id % 5)::int FROM members WHERE user_id IS NOT NULL
    AND id % 4 = 0;
INSERT INTO notification_settings (user_id, level) SELECT id, 3 FROM users WHERE user_type = 0 AND id % 3 = 0;
INSERT INTO todos (user_id, author_id, group_id, project_id, state, created_at, updated_at)
SELECT o.user_id, m.user_id, CASE m.source_type WHEN 'Namespace' THEN m.source_id END, CASE m.source_type
    WHEN 'Project' THEN m.source_id END,
       CASE WHEN m.id % 20 = 1 THEN 'done' ELSE 'pending' END, m.requested_at,
           m.requested_at
FROM members m JOIN members o ON (o.source_type, o.source_id) = (m.source_type, m.source_id)
    AND o.requested_at IS NULL AND o.access_level >= 40
WHERE m.requested_at IS NOT NULL AND o.user_id <> m.user_id;
INSERT INTO todos (user_id, author_id, project_id, target_id, target_type, action, state, created_at, updated_at)
SELECT a.user_id, i.author_id, i.project_id, i.id, 'Issue', 1, CASE WHEN i.id % 3 = 0 THEN 'done' ELSE 'pending' END,
    pg_temp.ago(i.id % 90), pg_temp.ago(i.id % 90)
FROM issue_assignees a JOIN issues i ON i.id = a.issue_id;
INSERT INTO todos (user_id, author_id, project_id, target_id, target_type, action, state, created_at, updated_at)
SELECT m.user_id, 101 + m.id % 8000, m.source_id, 1 + m.id % 2000, 'MergeRequest', 2, 'pending',
    pg_temp.ago(m.id % 60), pg_temp.ago(m.id % 60)
FROM members m WHERE m.source_type = 'Project' AND m.user_id IS NOT NULL AND m.requested_at IS NULL AND m.id % 9 = 0;

-- The resulting authorizations: the highest level of a user in each project, by their own
-- membership there, one in a group above, a share of a group above or of the project itself, or
-- because the personal namespace is theirs.
INSERT INTO project_authorizations (user_id, project_id, access_level)
WITH active AS MATERIALIZED (
    SELECT source_type, source_id, user_id, access_level FROM members
    WHERE user_id IS NOT NULL AND requested_at IS NULL AND state = 0 AND access_level >= 10),
in_group AS (
    SELECT source_id AS group_id, user_id, access_level FROM active WHERE source_type = 'Namespace'
    UNION ALL
    SELECT l.shared_group_id, a.user_id, least(a.access_level, l.group_access)
    FROM group_group_links l JOIN active a ON a.source_type = 'Namespace' AND a.source_id = l.shared_with_group_id
    WHERE l.expires_at IS NULL OR l.expires_at > pg_temp.today())
SELECT user_id, project_id, pg_catalog.max(access_level) FROM (
    SELECT user_id, source_id AS project_id, access_level FROM active WHERE source_type = 'Project'
    UNION ALL
    SELECT g.user_id, p.id, g.access_level FROM demo_projects p, pg_catalog.unnest(p.traversal_ids) above (id)
        JOIN in_group g ON g.group_id = above.id
    UNION ALL
    SELECT a.user_id, l.project_id, least(a.access_level, l.group_access)
    FROM project_group_links l JOIN active a ON a.source_type = 'Namespace' AND a.source_id = l.group_id
    WHERE l.expires_at IS NULL OR l.expires_at > pg_temp.today()
    UNION ALL
    SELECT n.owner_id, p.id, 50 FROM projects p JOIN namespaces n ON n.id = p.namespace_id AND n.type = 'User') x
GROUP BY user_id, project_id;

DROP TABLE demo_groups, demo_projects, demo_bots, demo_members;
DROP FUNCTION pg_temp.dice(bigint, bigint, bigint), pg_temp.pick(text[], bigint), pg_temp.slug(text),
    pg_temp.ago(bigint), pg_temp.today();
