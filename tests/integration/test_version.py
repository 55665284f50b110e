"""`pruned version` says what it is made of."""

from stack.found import PROJECT


def test_version_names_itself_and_its_libraries(new_pruned, new_database, new_topics):
    done = new_pruned(new_database("empty"), new_topics()).run("version").ok()
    assert (PROJECT / "VERSION").read_text().strip() in done.stdout
    assert "librdkafka" in done.stdout
