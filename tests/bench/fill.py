"""Many rows for measurements, in any number. What follows from the rows is added as the application
does it (schemas/app/fill_begin.sql); the statements here say only what is special."""

from support.places import APP_FILL

BEGIN, END = APP_FILL
PEOPLE = "INSERT INTO users (id, username) SELECT i, 'user' || i FROM generate_series(1, {users}) i"


def filler(statements, **sizes):
    """A function that fills a database with STATEMENTS: texts with names of SIZES in braces; `;` at
    a line's end separates."""
    def fill(database):
        database.load(BEGIN)
        for text in statements:
            for statement in text.format(**sizes).split(";\n"):
                if statement.strip():
                    database.execute(statement)
        database.load(END)
    return fill
