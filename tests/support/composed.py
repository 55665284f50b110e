"""The statements that jobs and `pruned restore` compose from the catalogue. They are obtained as
the program does: from the files that compose them."""

import re

from .statements import numbered

USERS, GROUPS = "jobs/users.destroy/", "jobs/groups.destroy/"
CASCADES, RESTORE = "jobs/shared/cascades.sql", "cli/restore/sql/build.sql"
RELATION = re.compile(r"SELECT '([a-z_]+)'(?:::[a-z]+)? AS relation")
INNER = re.compile(r"'((?:[^']|'')*)' AS sql")  # this query returns a statement if there is work
SETTING = re.compile(r"pruned\.(?:swept|held)_\w+")
WRITES = {"deleted": r"DELETE FROM {}\b", "updated": r"UPDATE {}\b"}


class Composed:
    def __init__(self, session, texts):
        self.session, self.texts, self.made = session, texts, {}

    def ask(self, file, **values):
        sql, names = numbered(self.texts[file])
        text = re.sub(r"\$(\d+)", lambda m: f"%({names[int(m[1]) - 1]})s", sql.replace("%", "%%"))
        return self.session.execute(text, {name: values.get(name) for name in names}).fetchall()

    def note(self, where, row):
        """Keeps each text of a row that is a statement, and the statements inside it."""
        for column, text in row.items():
            if not isinstance(text, str) or not re.match(r"(SELECT|WITH|UPDATE|DELETE|INSERT)\b", text):
                continue
            self.made[f"{where} {column}"] = text
            for n, inner in enumerate(INNER.findall(text)):
                self.made[f"{where} {column} {n}"] = inner.replace("''", "'")

    def sweep(self):
        """The statements for all tables whose rows go, and for those below them by foreign keys."""
        left = [(row["relation"], 0) for row in self.ask(USERS + "finish.sql")]
        left += [(table, 1) for text in self.made.values() for table in RELATION.findall(text)]
        done = set()
        while left:
            relation, depth = left.pop()
            if relation in done:
                continue
            done.add(relation)
            for row in self.ask(CASCADES, relation=relation, condition="true", depth=str(depth)):
                self.note(f"{CASCADES} {relation}", row)
                left += [(table, depth + 1) for table in RELATION.findall(row["probe"] or "")]

    def restore(self, tables):
        """The statements that restore deleted and updated rows."""
        written = "\n".join([*self.made.values(), *self.texts.values()])
        for table in tables:
            columns = [row["attname"] for row in self.session.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped", [table])]
            for action, words in WRITES.items():
                if re.search(words.format(table), written):
                    for row in self.ask(RESTORE, table_name=table, columns=columns, secret="^$", action=action):
                        self.note(f"{RESTORE} {table} {action}", {"sql": row["sql"]})

    def two_parts(self):
        """Files of two parts: the second uses the rows that the first deleted. The program puts the
        audit between them (src/engine/job/job_files.c)."""
        for name, text in self.texts.items():
            first, then, rest = text.partition("\n-- then:")
            if then:
                self.made[f"{name} as a whole"] = f"WITH applied AS ({first}\n), {rest.partition(chr(10))[2]} SELECT key FROM applied"

    def all(self, tables):
        self.two_parts()
        for row in self.ask(USERS + "references.sql", name=""):
            self.note(f"{USERS}references.sql {row['name']}", row)
        for kind in ("projects", "groups"):
            for row in self.ask(GROUPS + "references.sql", kind=kind):
                self.note(f"{GROUPS}references.sql {kind} {row['number']} {row['table']}", row)
        for file in (USERS + "left.sql", GROUPS + "forbids.sql"):
            for n, row in enumerate(self.ask(file)):
                self.note(f"{file} {n}", row)
        self.sweep()
        self.restore(tables)
        for setting in {s for text in self.made.values() for s in SETTING.findall(text)}:
            self.session.execute("SELECT set_config(%s, '{}', false)", [setting])
        return self.made
