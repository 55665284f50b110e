-- What the application adds by itself to the rows that it inserts: the place of a namespace in its
-- tree, its details and its route; a project's own namespace and its route; what follows from the
-- source of a membership, and from the place of a todo; a user's address. Here triggers do it,
-- until fill_end.sql in the same session.
--
-- Rows are made in two ways, which know the same:
--   many at once, in SQL: `pruned demo` (src/cli/demo/sql/instance.sql) and the benchmarks
--     (tests/bench/fill.py) insert between the two files and say only what is special about their
--     rows; parents first;
--   one by one, in Python: tests/model/builder.py, which also works without a database.
-- tests/model/test_fill.py makes the same places and memberships in both ways and compares them.

CREATE FUNCTION pg_temp.complete_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name := coalesce(NEW.name, NEW.username);
    NEW.email := coalesce(nullif(NEW.email, ''), NEW.username || '@example.com');
    NEW.state := coalesce(NEW.state, 'active');
    NEW.created_at := coalesce(NEW.created_at, now());
    NEW.updated_at := coalesce(NEW.updated_at, NEW.created_at);
    RETURN NEW;
END $$;

CREATE FUNCTION pg_temp.complete_namespace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name := coalesce(NEW.name, NEW.path);
    NEW.traversal_ids := coalesce((SELECT traversal_ids FROM namespaces WHERE id = NEW.parent_id), '{}') || NEW.id;
    NEW.created_at := coalesce(NEW.created_at, now());
    NEW.updated_at := coalesce(NEW.updated_at, NEW.created_at);
    RETURN NEW;
END $$;

-- PARENT: the group or personal namespace above, or NULL.
CREATE FUNCTION pg_temp.add_route(kind text, source bigint, namespace bigint, parent bigint, own_path text,
                                  own_name text, at timestamp)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    above routes;
BEGIN
    SELECT * INTO above FROM routes WHERE source_type = 'Namespace' AND source_id = parent;
    INSERT INTO routes (source_type, source_id, namespace_id, path, name, created_at, updated_at)
    VALUES (kind, source, namespace, coalesce(above.path || '/', '') || own_path,
            coalesce(above.name || ' / ', '') || own_name, at, at);
END $$;

CREATE FUNCTION pg_temp.follow_namespace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO namespace_details (namespace_id, created_at, updated_at)
    VALUES (NEW.id, NEW.created_at, NEW.updated_at);
    IF NEW.type <> 'Project' THEN
        PERFORM pg_temp.add_route('Namespace', NEW.id, NEW.id, NEW.parent_id, NEW.path, NEW.name, NEW.created_at);
    END IF;
    RETURN NULL;
END $$;

CREATE FUNCTION pg_temp.complete_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.name := coalesce(NEW.name, NEW.path);
    NEW.project_namespace_id := coalesce(NEW.project_namespace_id,
        pg_catalog.nextval(pg_catalog.pg_get_serial_sequence('namespaces', 'id')));
    NEW.created_at := coalesce(NEW.created_at, now());
    NEW.updated_at := coalesce(NEW.updated_at, NEW.created_at);
    INSERT INTO namespaces (id, name, path, type, parent_id, visibility_level, created_at, updated_at)
    VALUES (NEW.project_namespace_id, NEW.name, NEW.path, 'Project', NEW.namespace_id, NEW.visibility_level,
            NEW.created_at, NEW.updated_at);
    RETURN NEW;
END $$;

CREATE FUNCTION pg_temp.follow_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_temp.add_route('Project', NEW.id, NEW.project_namespace_id, NEW.namespace_id, NEW.path, NEW.name,
                              NEW.created_at);
    RETURN NULL;
END $$;

CREATE FUNCTION pg_temp.complete_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.source_type = 'Project' THEN
        NEW.type := 'ProjectMember';
        NEW.member_namespace_id := (SELECT project_namespace_id FROM projects WHERE id = NEW.source_id);
    ELSE
        NEW.type := 'GroupMember';
        NEW.member_namespace_id := NEW.source_id;
    END IF;
    NEW.created_at := coalesce(NEW.created_at, now());
    NEW.updated_at := coalesce(NEW.updated_at, NEW.created_at);
    RETURN NEW;
END $$;

-- A todo without another target is about its group or project: somebody asks for access.
CREATE FUNCTION pg_temp.complete_todo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.target_type IS NULL THEN
        NEW.target_type := CASE WHEN NEW.group_id IS NULL THEN 'Project' ELSE 'Namespace' END;
        NEW.target_id := coalesce(NEW.group_id, NEW.project_id);
        NEW.action := 10;
    END IF;
    NEW.state := coalesce(NEW.state, 'pending');
    NEW.created_at := coalesce(NEW.created_at, now());
    NEW.updated_at := coalesce(NEW.updated_at, NEW.created_at);
    RETURN NEW;
END $$;

CREATE TRIGGER complete BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION pg_temp.complete_user();
CREATE TRIGGER complete BEFORE INSERT ON namespaces FOR EACH ROW EXECUTE FUNCTION pg_temp.complete_namespace();
CREATE TRIGGER follow AFTER INSERT ON namespaces FOR EACH ROW EXECUTE FUNCTION pg_temp.follow_namespace();
CREATE TRIGGER complete BEFORE INSERT ON projects FOR EACH ROW EXECUTE FUNCTION pg_temp.complete_project();
CREATE TRIGGER follow AFTER INSERT ON projects FOR EACH ROW EXECUTE FUNCTION pg_temp.follow_project();
CREATE TRIGGER complete BEFORE INSERT ON members FOR EACH ROW EXECUTE FUNCTION pg_temp.complete_member();
CREATE TRIGGER complete BEFORE INSERT ON todos FOR EACH ROW EXECUTE FUNCTION pg_temp.complete_todo();
