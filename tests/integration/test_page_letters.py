"""Dead letters on the page: as `pruned dead` has them; their bytes are texts."""

from stack.process import wait_until
from support.paged import EVIL, paged, renewed  # noqa: F401
from support.sentences import house  # noqa: F401


def test_dead_letters_are_those_of_the_command_and_their_bytes_are_texts(paged):  # noqa: F811
    assert "No message waits for a verdict." in paged.read("/letters").of("letters")
    topics = paged.house.pruned.topics
    topics.produce("ticks", f'{{"job": "{EVIL}'.encode(), key=EVIL)
    topics.produce("ticks", b"\xff\x00<b>\xfe")
    page = renewed(paged, "/letters", lambda seen: seen.of("letters").count("ticks") == 2)
    told = paged.house.pruned.run("dead", "list", "--json").ok().json()
    assert [one["id"] for one in told] == [value["href"].split("=")[1].replace("%3A", ":") for tag, value in page.elements
                                          if tag == "a" and value.get("href", "").startswith("letters?id=")]
    assert wait_until(lambda: paged.json("/letters?format=json") == told, 20, "the same list")
    for one in told:
        page = paged.read(f"/letters?id={one['id']}")
        (whole,) = paged.json(f"/letters?id={one['id']}&format=json")
        assert whole == paged.house.pruned.run("dead", "show", one["id"], "--json").ok().json()[0]
        text = page.of("whole")
        assert all(f"pruned dead {verb} {one['id']}" in text for verb in ("show", "retry", "drop"))
        assert [a for tag, a in page.elements if tag == "script"] == [{"src": "page.js", "defer": ""}] and "b" not in [tag for tag, _ in page.elements]
    assert "\\xff" in text or EVIL in text
    # Settled ones are gone; what is none is said.
    paged.house.pruned.run("dead", "drop", told[0]["id"]).ok()
    wait_until(lambda: [one["id"] for one in paged.json("/letters?format=json")] == [told[1]["id"]], 20, "one letter")
    assert [paged.ask(path).status_code for path in ("/letters?id=0:999", "/letters?id=x", "/letters?token=x")] == [404, 404, 400]
