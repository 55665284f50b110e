"""Letters of applications' own topics (`pruned dead retry`)."""

from support.own_events import dead, erased, erasure, outcomes, runs, say_event, send, topics  # noqa: F401
from support.sentences import house  # noqa: F401


def test_letters_of_own_topics_are_retried_without_writing_there(erasure):
    """The topic is an application's, and others read it. What its message asks for begins as if it
    had just come, once."""
    say_event(erasure, "UserErasureRequested", "app-users", "key = person.id")
    for user_id in (1, 2):
        send(erasure, {"person": user_id}, id=f"m{user_id}")
    send(erasure, {"person": "x" * 9})
    erasure.work()
    assert len(dead(erasure)) == 3 and erased(erasure) == []
    say_event(erasure, "UserErasureRequested", "app-users", "key = person")
    before = erasure.pruned.topics.read("app-users")
    done = erasure.pruned.run("dead", "retry", "--json")
    assert done.code == 1 and "xxxxxxxxx" not in done.stdout and "1 letter cannot be retried" in done.stderr, done
    assert {line["verdict"] for line in done.json()} == {"retried"} and len(done.json()) == 2
    erasure.pruned.run("dead", "retry", "0:0", "0:1", "0:2")  # what was retried stays so
    assert len(erasure.pruned.topics.read("app-users")) == len(before)
    erasure.work()
    assert erased(erasure) == [1, 2] and len(runs(erasure)) == 2
    assert [(key, what) for key, _, what, _ in outcomes(erasure)] == [("1", "changed"), ("2", "changed")]
    left = erasure.pruned.run("dead", "--json").ok().json()
    assert len(left) == 1 and "undecodable" in left[0]["reason"]


def test_letters_of_topics_that_no_job_reads_stay(erasure):
    say_event(erasure, "UserErasureRequested", "app-users", "key = person.id")
    send(erasure, {"person": 1})
    erasure.work()
    say_event(erasure, "UserErasureRequested", "app-users", "key = person\nmatch = kind = erase")
    done = erasure.pruned.run("dead", "retry")
    assert done.code == 1 and "no [event] section of a job in force fits it" in done.stderr, done
    say_event(erasure, "UserErasureRequested", "other-users", "key = person")
    done = erasure.pruned.run("dead", "retry")
    assert done.code == 1 and "which this service does not read" in done.stderr, done
