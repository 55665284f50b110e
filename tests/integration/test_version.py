"""`pruned version` says what it is made of."""

from stack.found import PROJECT


def test_version_names_itself_and_its_libraries(new_pruned, new_database, new_topics):
    done = new_pruned(new_database("empty"), new_topics()).run("version").ok()
    assert (PROJECT / "VERSION").read_text().strip() in done.stdout
    assert "librdkafka" in done.stdout


def checked(pruned, code=0):
    done = pruned.run("version", "--check", "--json")
    assert done.code == code, done
    return [(line["check"], line["level"], line["detail"]) for line in done.json()]


def test_a_check_says_what_is_of_another_version(new_pruned, new_database, new_topics):
    version, steps = (PROJECT / "VERSION").read_text().strip(), len(list((PROJECT / "schemas/postgres").glob("*.sql")))
    pruned = new_pruned(new_database("migrated"), new_topics())
    fits = [("program", "ok", version), ("settings", "ok", "all of them are settings of this version"),
            ("schema", "ok", f"it works with this program, which wants step {steps}")]
    assert checked(pruned) == [*fits, ("process", "ok", "0 of 0 that run have this version")]
    pruned.database.execute("""INSERT INTO pruned.processes (id, host, pid, version, started_at, seen_at, settings, jobs)
        VALUES (gen_random_uuid(), 'a', 1, '0.0.9', '2026-01-02 03:04+00', now(), 'x', '{}'), (gen_random_uuid(), 'b', 2, %s, now(), now(), 'x', '{}'),
               (gen_random_uuid(), 'c', 3, '0.0.8', now(), now() - interval '1 hour', 'x', '{}')""", [version])
    assert checked(pruned)[3:] == [("process", "ok", "1 of 2 that run have this version"),
                                   ("process", "warning", "a, process 1, has version 0.0.9 since 2026-01-02 03:04 UTC: restart it")]
    pruned.database.execute("DELETE FROM pruned.schema_version WHERE version = %s", [steps])
    assert checked(pruned, 3)[2] == ("schema", "error", f"schema pruned is older than this program: step {steps - 1}, wanted {steps}; run: pruned migrate")
    pruned.settings["run.no_longer"] = "x"
    (settings,) = [line for line in checked(pruned, 2) if line[0] == "settings"]
    assert settings[1] == "error" and "no_longer" in settings[2]
