"""A page is bounded by the bytes of its rows as well as by their number (`page_bytes`)."""

from support.sentences import house  # noqa: F401

WIDE, MOST = 10_000, 100_000
TABLE = f"""CREATE TABLE blobs (id bigint PRIMARY KEY, gone bool, body text);
    INSERT INTO blobs SELECT g, true, repeat('x', CASE WHEN g BETWEEN 101 AND 160 THEN {WIDE} WHEN g = 200 THEN {5 * MOST} ELSE 5 END)
    FROM generate_series(1, 300) AS g;
    CREATE INDEX ON blobs (gone); ANALYZE blobs"""
SENTENCE = "table = blobs\nwhere = gone\nmax_share = off\nranges = 1\ndelay_ms = 0"


def records(house):  # noqa: F811
    """(rows, bytes as recorded) of each audit record, in order."""
    return [(r["n"], r["bytes"]) for r in house.database.rows(
        "SELECT jsonb_array_length(keys) AS n, octet_length(rows::text) AS bytes FROM pruned.deletions ORDER BY step")]


def test_wide_rows_go_in_pages_of_few(house):  # noqa: F811
    """The first page, too, of which nothing was measured; and a row that is wider than a page goes
    alone."""
    house.sql(TABLE)
    house.say("blobs.purge", f"{SENTENCE}\nbatch = 100\npage_bytes = {MOST}")
    row = house.run("blobs.purge")
    assert (row["state"], row["attempts"], row["result"]["removed"]) == ("finished", 0, 300)
    pages = records(house)
    assert sum(n for n, _ in pages) == 300 and pages[0][0] == 100  # narrow rows have whole pages
    assert [n for n, bytes_ in pages if bytes_ > MOST] == [1]
    assert len([n for n, bytes_ in pages if bytes_ > WIDE]) < 20, pages
    cuts = [line["error"] for line in house.daemons[-1].lines("Step failed")]
    assert all("page_bytes" in why for why in cuts) and len(cuts) < 8, cuts


def test_rows_that_go_with_others_count(house):  # noqa: F811
    """Each row takes one of 10 kB along."""
    house.sql(f"""CREATE TABLE boxes (id bigint PRIMARY KEY, gone bool); INSERT INTO boxes SELECT g, true FROM generate_series(1, 60) AS g;
        CREATE TABLE things (id bigint PRIMARY KEY, box_id bigint NOT NULL REFERENCES boxes, body text); CREATE INDEX ON things (box_id);
        INSERT INTO things SELECT g, g, repeat('x', {WIDE}) FROM generate_series(1, 60) AS g""")
    house.say("boxes.purge", f"{SENTENCE.replace('blobs', 'boxes')}\nchildren = things\nbatch = 50\npage_bytes = {MOST}")
    row = house.run("boxes.purge")
    assert (row["state"], row["attempts"], row["result"]["removed"], row["result"]["others"]) == ("finished", 0, 60, 60)
    assert max(bytes_ for _, bytes_ in records(house)) <= MOST
    # the first page, of which nothing was known
    assert len(house.daemons[-1].lines("Step failed")) == 1


FOLDER = {
    "job.conf": "[job]\nstarts = tick\ntable = blobs\nunique_key = f\ncursor = id bigint\nbatch = 50\n[what removed]\n",
    "page.sql": "SELECT b.id AS key, b.id FROM blobs b WHERE b.gone AND b.id > :cursor.id::bigint ORDER BY b.id LIMIT :limit::int",
    "apply/removed/10-blobs.sql": "DELETE FROM blobs b WHERE b.id = ANY (:key::bigint[]) RETURNING b.id AS key, to_jsonb(b.*) AS row",
}


def test_a_folder_and_what_the_process_knows_of_its_rows(house):  # noqa: F811
    """The second run begins with pages that fit."""
    house.sql(TABLE.replace("300", "160"))
    (house.folder / "f/apply/removed").mkdir(parents=True)
    for name, text in FOLDER.items():
        (house.folder / "f" / name).write_text(text)
    house.pruned.settings |= {"jobs.f.page_bytes": MOST, "jobs.f.max_share": "off"}
    house.start()
    daemon = house.pruned.start()
    cuts = []
    for _ in range(2):
        run = house.pruned.run("tick", "f").ok().stdout.strip()
        assert house.pruned.wait_run(run)["attempts"] == 0
        cuts.append(len(daemon.lines("Step failed")))
        house.sql(f"INSERT INTO blobs SELECT g, true, repeat('x', {WIDE}) FROM generate_series(1, 60) AS g ON CONFLICT DO NOTHING")
    assert house.database.value("SELECT count(*) FROM pruned.runs WHERE state = 'finished'") == 2
    assert max(bytes_ for _, bytes_ in records(house)) <= MOST and cuts[0] == cuts[1] > 0, cuts
