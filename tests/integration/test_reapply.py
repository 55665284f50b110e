"""What was erased after a backup was made goes again once that backup is restored: these rows, and
no other."""

import pytest

from support.bombs import bomb
from support.reapplied import ERASE, approve, asked, back_up, bring_back, erase, house, ids, people, reapply, remembering, write_key  # noqa: F401


def test_what_a_backup_brings_back_goes_again_and_a_key_that_is_used_anew_stays(people):
    back_up(people, "people")
    erase(people, 1, 2, 3, 4)
    bring_back(people, "people")
    people.sql("DELETE FROM people WHERE id = 4; UPDATE people SET email = 'anew', made_at = now() + interval '1 s' WHERE id = 3")
    want = [("1", "again"), ("2", "again"), ("3", "stays")]
    assert reapply(people, "--dry-run") == want and asked(people) == []
    assert reapply(people) == want
    people.work()
    ((run_id, state, error),) = asked(people)
    assert state == "held" and "erasures that are applied again need an approval (2 rows)" in error
    assert ids(people) == [1, 2, 3, 5, 6, 7, 8, 9], "nothing goes before the approval"
    said = people.pruned.run("reapply", "--since", "-1d").ok()
    assert f"run {run_id} of an earlier `pruned reapply` is held" in said.stdout and len(asked(people)) == 1
    approve(people)
    assert ids(people) == [3, 5, 6, 7, 8, 9] and asked(people)[0][1] == "finished"
    assert reapply(people) == [("3", "stays")] and len(asked(people)) == 1, "again is nothing"


def test_the_ledger_names_nobody_and_only_rows_that_went(people):
    people.say("people.erase", ERASE + "\nwhere = id <> 2")
    erase(people, 1, 2, 77)
    (entry,) = people.topics.read("erasures")
    assert entry.schema == "pruned.Erasure" and entry.value["job"] == "people.erase" and entry.value["entry"] == entry.text_key
    assert b"example.org" not in entry.raw and len(entry.value["entry"]) == 64
    (policy,) = [r["state"] for r in people.pruned.run("topics", "--json").json() if r["topic"].endswith(".erasures")]
    assert policy == "ok"


KEYS = {
    "several columns": ("a int, b text", "PRIMARY KEY (a, b)", "(1, 'x \"y\"'), (1, E'\\\\'), (2, '')"),
    "uuid": ("a uuid", "PRIMARY KEY (a)", "('6f1c0a52-1111-4222-8333-444455556666'), ('00000000-0000-0000-0000-000000000000')"),
    "timestamptz": ("a timestamptz", "PRIMARY KEY (a)", "('2026-01-01 10:00:00.123456+02'), ('infinity')"),
    "numeric": ("a numeric", "PRIMARY KEY (a)", "(1.0), (2.50), ('NaN')"),
    "text": ("a text", "PRIMARY KEY (a)", "(''), ('ä''b'), (E'a\\nb')"),
    "bytes and days": ("a bytea, b date", "PRIMARY KEY (b, a)", "('\\x00ff', '2026-01-01'), ('', 'infinity')"),
    "json": ("a jsonb, b int", "PRIMARY KEY (a, b)", "('\"1\"', 1), ('1', 1), ('{\"k\": null}', 2)"),
}


@pytest.mark.check_first(2)
@pytest.mark.parametrize("kind", KEYS)
def test_keys_of_all_types_are_found_again(house, tmp_path, kind):
    columns, key, values = KEYS[kind]
    remembering(house, tmp_path)
    house.sql(f"CREATE TABLE things ({columns}, gone boolean DEFAULT true, {key}); INSERT INTO things VALUES {values}")
    house.say("things.purge", "table = things\nwhere = gone\nremember = 2 years\nborn = none")
    back_up(house, "things")
    n = len(house.rows("things", "gone"))
    house.done("things.purge")
    bring_back(house, "things")
    house.sql("UPDATE things SET gone = false")
    assert [verdict for _, verdict in reapply(house)] == ["again"] * n
    approve(house)
    assert house.rows("things", "gone") == [], "the ledger has the place of `where`"
    said = house.pruned.run("verify", asked(house)[0][0])
    assert "the ledger of erasures has named its rows" in said.stdout + said.stderr, said
    assert house.database.column("SELECT reason FROM pruned.controls WHERE paused") == []


def test_what_an_event_asked_for_asks_where_again_and_a_held_row_stays(people):
    people.say("people.erase", ERASE + "\nwhere = email <> 'on trial'\napprove = never")
    back_up(people, "people")
    erase(people, 1, 2, 3)
    bring_back(people, "people")
    people.sql("UPDATE people SET email = 'on trial' WHERE id = 2")
    people.pruned.run("hold", "people:3", "--reason", "a trial").ok()
    reapply(people)
    approve(people)
    assert ids(people) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert people.database.column("SELECT result->'kept_hold' FROM pruned.runs WHERE args ? 'reapply'") == [1]


def test_what_was_restored_since_is_not_erased(people):
    people.say("people.erase", ERASE + "\naudit = full")
    erase(people, 1, 2)
    (run_id,) = people.database.column("SELECT run_id::text FROM pruned.runs WHERE args->>'key' = '1'")
    people.restore(run_id, "--reason", "a mistake")
    people.work()
    assert ids(people) == [1, 3, 4, 5, 6, 7, 8, 9] and reapply(people) == []


def test_changes_are_made_again(people):
    people.say("people.erase", ERASE + "\nset = email = NULL")
    back_up(people, "people")
    erase(people, 1, 2)
    bring_back(people, "people")
    reapply(people)
    approve(people)
    assert people.rows("people WHERE email IS NULL", "id") == [(1,), (2,)]


def test_a_key_file_that_is_lost_or_another_is_said_at_once(people, tmp_path):
    erase(people, 1)
    key = people.key.read_text()
    write_key(people.key)
    for command in ("doctor", "run"):
        said = people.pruned.run(command, *(("--until-idle",) if command == "run" else ()))
        assert said.code != 0 and "sealed with the key" in said.stdout + said.stderr, said
    people.key.write_text(key)
    people.key.chmod(0o604)
    assert "chmod o-r" in people.pruned.run("run", "--until-idle").stderr
    people.key.unlink()
    for command in ("doctor", "run", "reapply"):
        said = people.pruned.run(command, *{"run": ("--until-idle",), "reapply": ("--since", "-1d")}.get(command, ()))
        assert said.code != 0 and "erasures.key" in said.stdout + said.stderr, said
    write_key(people.key)
    people.pruned.run("reapply", "--new-key").ok()
    said = people.pruned.run("reapply", "--since", "-1d")
    assert said.code == 2 and "1 entry is sealed with another key" in said.stderr
    erase(people, 2)
    assert len(people.topics.read("erasures")) == 2


def test_a_new_key_seals_and_the_old_one_opens_what_it_has_sealed(people, tmp_path):
    back_up(people, "people")
    erase(people, 1, 2)
    (run,) = people.database.column("SELECT DISTINCT run_id FROM pruned.deletions WHERE keys @> '[2]'")
    old, new = people.key, write_key(tmp_path / "new.key")
    people.pruned.settings["erasures.key_file"] = f"{new}, {old}"
    said = people.pruned.run("run", "--until-idle")
    assert said.code != 0 and "--new-key" in said.stderr, "nobody changes the key unasked"
    people.pruned.run("reapply", "--new-key").ok()
    erase(people, 3)
    people.restore(run)  # by the new key: the entry of the old one counts no more
    people.work()
    assert len({m.value["key_id"] for m in people.topics.read("erasures")}) == 2
    bring_back(people, "people")
    assert reapply(people, "--dry-run") == [("1", "again"), ("3", "again")]
    old.unlink()
    said = people.pruned.run("check")
    assert said.code == 2 and "erasures.key" in said.stdout, "not at the restore"


def test_a_damaged_entry_is_named_and_the_others_go_on(people):
    back_up(people, "people")
    erase(people, 1, 2)
    people.topics.produce("erasures", b"no entry", key="x", partition=0)
    bring_back(people, "people")
    said = people.pruned.run("reapply", "--since", "-1d", "--dry-run")
    assert said.code == 2 and "1 damaged entry" in said.stderr and "Damaged: partition 0, offset" in said.stdout + said.stderr, said
    assert said.stdout.count("again") == 2


def test_a_batch_of_the_ledger_that_cannot_be_unpacked_is_named_and_the_others_go_on(people):
    back_up(people, "people")
    erase(people, 1)
    first, last = bomb(people.topics, "erasures", key=b"x")
    erase(people, 2)
    bring_back(people, "people")
    done = people.pruned.run("reapply", "--since", "-1d", "--json", "--dry-run")
    assert [line["key"] for line in done.json() if "key" in line] == ["1", "2"]
    assert done.code == 2 and f"{last - first + 1} damaged entries" in done.stderr, done
    done = people.pruned.run("reapply", "--since", "-1d")
    assert done.code == 2 and f"topic {people.topics.full('erasures')}, partition 0, offsets {first} to {last}" in done.stdout + done.stderr, done
    assert [state for _, state, _ in asked(people)] != []


def test_without_a_ledger_no_job_remembers(people):
    said = people.pruned.run("check", "-s", "erasures.ledger=off")
    assert said.code == 2 and "remember: there is no ledger" in said.stdout + said.stderr
    assert "ledger is off" in people.pruned.run("reapply", "--since", "-1d", "-s", "erasures.ledger=off").stderr


def test_doctor_names_what_backups_bring_back_and_a_topic_that_forgets(people):
    people.say("people.erase", "table = people\non = UserErasureRequested")
    people.start()
    people.work()

    def found(check):
        return [(r["level"], r["detail"]) for r in people.pruned.run("doctor", "--json", "-s", "erasures.backups_keep=35").json() if r["check"] == check]

    ((level, words),) = found("backups")
    assert level == "warning" and "people.erase: topics keep 7 days, the oldest backup 35 ([erasures] backups_keep): erasures of 28 days" in words
    people.say("people.erase", ERASE)
    assert [level for level, _ in found("backups")] == ["ok"] and [level for level, _ in found("erasures")] == ["ok"]
    people.topics.configure("erasures", **{"cleanup.policy": "delete", "retention.ms": "86400000"})
    words = [words for level, words in found("erasures") if level == "error"]
    assert any("other settings" in w for w in words) and any("keeps entries for 1 day" in w for w in words), words
