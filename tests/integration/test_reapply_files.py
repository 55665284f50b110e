"""The ledger of erasures as files: it is there without Kafka, and stays with the backups."""

import pytest

from support.reapplied import ERASE, approve, back_up, bring_back, erase, house, ids, in_files, people, reapply  # noqa: F401


@pytest.fixture
def story(people, tmp_path):  # noqa: F811
    in_files(people, tmp_path)
    back_up(people, "people")
    return people


def lines(story):
    return [line for file in sorted(story.folder.iterdir()) for line in file.read_text().splitlines()]


def test_files_have_what_went_and_no_topic_is_needed(story):
    erase(story, 1, 2, 3, 77)
    (file,) = story.folder.iterdir()
    assert len(lines(story)) == 3 and file.stat().st_mode & 0o777 == 0o600 and "example.org" not in file.read_text()
    assert not [r for r in story.pruned.run("topics", "--json").json() if r["topic"].endswith(".erasures")]
    assert story.database.value("SELECT count(*) FROM pruned.unpublished") == 0
    bring_back(story, "people")
    story.sql("UPDATE people SET made_at = now() + interval '1 s' WHERE id = 3")
    assert reapply(story) == [("1", "again"), ("2", "again"), ("3", "stays")]
    approve(story)
    assert ids(story) == [3, 4, 5, 6, 7, 8, 9] and reapply(story) == [("3", "stays")]
    assert len(lines(story)) == 5, "what goes again is an erasure, too"


def test_beside_the_topic_either_is_enough(story):
    story.pruned.settings["erasures.ledger"] = "topic, file"
    erase(story, 1, 2)
    bring_back(story, "people")
    want = [("1", "again"), ("2", "again")]
    for ledger in "topic", "file", "topic, file":
        assert reapply(story, "--dry-run", "-s", f"erasures.ledger={ledger}") == want


def test_what_is_restored_is_written_there_too(story):
    story.say("people.erase", ERASE + "\naudit = full")
    erase(story, 1, 2)
    (run_id,) = story.database.column("SELECT run_id::text FROM pruned.runs WHERE args->>'key' = '1'")
    story.restore(run_id, "--reason", "a mistake")
    story.work()
    bring_back(story, "people")
    assert reapply(story, "--dry-run") == [("2", "again")]


def test_damaged_lines_are_named_by_file_and_line_and_the_others_go_on(story):
    erase(story, 1, 2, 3)
    bring_back(story, "people")
    (file,) = story.folder.iterdir()
    text = file.read_text().splitlines()
    text[1] = text[1].replace('"erased_at":"20', '"erased_at":"21')
    file.write_text("\n".join([*text, "not an entry"]) + "\n")
    said = story.pruned.run("reapply", "--since", "-1d", "--dry-run")
    assert said.code == 2 and "2 damaged entries" in said.stderr and said.stdout.count("again") == 2
    assert f"{file}:2: it is not as it was written" in said.stdout and f"{file}:4: it is no entry" in said.stdout


def test_a_folder_that_cannot_be_used_is_said_at_once(story):
    commands = ("check", "doctor", "run")

    def refused(words, *more):
        for command in commands:
            said = story.pruned.run(command, *(("--until-idle",) if command == "run" else ()), *more)
            assert said.code != 0 and words in said.stdout + said.stderr, (command, said)

    story.start()
    refused("needs folder", "-s", "erasures.folder=")
    refused("there is no such folder", "-s", f"erasures.folder={story.folder / 'mount'}")
    story.folder.chmod(0o777)
    refused("everybody may write this folder")
    assert "no such" in story.pruned.run("reapply", "--since", "-1d", "-s", "erasures.folder=/nowhere").stderr.lower()


def test_while_nothing_can_be_written_entries_wait_and_none_is_lost(story):
    erase(story, 1)
    (file,) = story.folder.iterdir()
    file.rename(file.with_stem(f"{file.stem}-2"))  # as of another host
    file.mkdir()
    erase(story, 2, work=False)
    daemon = story.pruned.start()
    line = daemon.wait_line("Publishing waits for Kafka")
    assert str(file) in line["detail"]
    assert story.database.value("SELECT count(*) FROM pruned.unpublished") > 0
    file.rmdir()
    story.database.wait("SELECT count(*) FROM pruned.unpublished", until=0, deadline_s=30)
    assert daemon.stop() == 0
    bring_back(story, "people")
    assert reapply(story, "--dry-run") == [("1", "again"), ("2", "again")]
