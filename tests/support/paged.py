"""A daemon with the page, and its answers as a browser would read them."""

import re
from html.parser import HTMLParser

import pytest
import requests

from stack.process import wait_until

from .exposition import Listening
from .sentences import house  # noqa: F401

JOB = "orders.purge"
EVIL = "<script>document.title = 'pwned'</script>\" onfocus='x' &amp; =1+1"
VIEWS = ("/", "/runs", "/row", "/row?item=orders:4", "/quarantine", "/holds", "/processes", "/journal", "/letters", "/report",
         f"/job?name={JOB}", f"/plan?job={JOB}", f"/sql?job={JOB}")


class Read(HTMLParser):
    """Elements with their attributes, and the text of each element that has an id."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "input"):
            self.open.append((tag, dict(attributes).get("id")))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for _, name in self.open:
            if name:
                self.texts[name] = self.texts.get(name, "") + data

    def of(self, name):
        return re.sub(r"\s+", " ", self.texts.get(name, "")).strip()


class Paged:
    """The page of a daemon."""

    def __init__(self, house, http):  # noqa: F811
        self.house, self.http, self.database = house, http, house.database

    def ask(self, path, method="GET", **headers):
        return requests.request(method, f"http://{self.http.listen}{path}", headers=headers, timeout=20, allow_redirects=False)

    def read(self, path, code=200):
        answer = self.ask(path)
        assert answer.status_code == code, (path, answer.status_code, answer.text)
        return Read(answer.text)

    def json(self, path):
        answer = self.ask(path)
        assert answer.status_code == 200 and answer.headers["Content-Type"] == "application/json", answer.text
        return answer.json()


def orders(house):  # noqa: F811
    house.sql("""
        CREATE TABLE orders (id bigint PRIMARY KEY, gone boolean);
        INSERT INTO orders SELECT n, n <= 5 FROM generate_series(1, 6) n;
        CREATE TABLE refunds (id bigint PRIMARY KEY, order_id bigint CONSTRAINT refunds_order_id_fkey REFERENCES orders);
        INSERT INTO refunds VALUES (1, 4), (2, 5)""")


@pytest.fixture
def paged(house):  # noqa: F811
    """Six orders: three have gone, two fail because of a refund, and one is held."""
    http = Listening()
    orders(house)
    house.say(JOB, "table = orders\nwhere = gone\nmax_share = off\nschedule = 0 2 * * *")
    house.start()
    daemon = house.pruned.start(settings={"http.listen": http.listen, "http.page": "on"})
    daemon.wait_line("Partitions assigned")
    yield Paged(house, http)
    http.close()


def done(paged, at):
    """Its run at AT, once it has ended."""
    from .scene import tick_id
    paged.house.pruned.topics.tick(JOB, at)
    return paged.house.pruned.wait_run(tick_id(JOB, at), "finished")


def renewed(paged, path, fact):
    """What is read at PATH, once FACT holds of it: answers are kept for seconds."""
    return wait_until(lambda: fact(seen := paged.read(path)) and seen, 20, f"{path} to say it")
