/* A sentence that the catalogue does not fit is refused, with the line of the key that is wrong. */
#include "engine/job/sentence/complete.h"

#include "support/catalogue.h"
#include "support/own_jobs.h"

#include <string.h>

/* TEXT: of the section, from line 2 on. WANT: `LINE: WHY`; NULL: it is written. */
typedef struct {
  const char *text, *tables, *keys, *want;
} Case;

#define ORDERS "orders r id:int8* status:text payload:text deleted_at:timestamptz"
#define CARTS "carts r id:int8* dead:bool last_line:int8! owner_id:int8"
#define ITEMS "items r id:int8* note:timestamptz! kind:int4"

static void
assert_case (const Case *one)
{
  g_autofree char *text = g_strconcat ("[retention]\n", one->text, "\n", NULL), *why = NULL,
                  *want = g_strconcat ("refused: b.conf:", one->want, NULL);
  g_autoptr (GError) error = NULL;
  own_jobs_begin ();
  own_jobs_write ("b.conf", text);
  own_jobs_expect (one->text, "b", NULL);
  const Job *job = jobs_find (own_jobs_loaded ()->jobs, "b");
  if (one->tables != NULL)
    catalogue_answer (one->tables, one->keys);
  Written *written = job != NULL ? job_write (NULL, job, &why, &error) : NULL;
  g_assert_no_error (error);
  const char *said = why != NULL ? own_jobs_told (why) : NULL;
  if (g_strcmp0 (said, one->want != NULL ? want : NULL) != 0) {
    g_test_message ("%s\n  is: %s\n  not: %s", one->text, said, one->want);
    g_test_fail ();
  }
  g_assert_true ((written != NULL) == (why == NULL));
  g_clear_pointer (&written, written_free);
}

#define ASSERT_ALL(cases)                                                                          \
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {                                               \
    catalogue_begin ();                                                                            \
    assert_case (&(cases)[i]);                                                                     \
  }

/* --- its table --- */

static const Case TABLES[] = {
  { "table = nothing\nwhere = true", "nothing -", NULL, "2: there is no table nothing" },
  { "table = seen\nwhere = true", "seen v id:int8", NULL,
    "2: seen is a view: name the table that its rows are in" },
  { "table = kept_seen\nwhere = true", "kept_seen m id:int8", NULL,
    "2: kept_seen is a materialized view: name the table that its rows come from" },
  { "table = far\nwhere = true", "far f id:int8", NULL,
    "2: far is a foreign table: let a job on its own server remove its rows" },
  { "table = counter\nwhere = true", "counter S last_value:int8", NULL, "2: counter is no table" },
  { "table = keyless\nwhere = true", "keyless r id:int8 note:timestamptz", NULL,
    "2: keyless has no primary key" },
  { "table = base\nwhere = true", "base r id:int8* #inherited", NULL,
    "2: other tables inherit from base: their rows would go with its own, and come back to it" },
  { "table = pruned.runs\nwhere = true", "pruned.runs r run_id:uuid* #ours", NULL,
    "2: pruned.runs is a table of the database or of pruned itself" },
  { "table = secret\nwhere = true", "secret r id:int8* #hidden", NULL,
    "2: row-level security hides rows of secret from this role: give it BYPASSRLS" },
  { "table = lg\nwhere = dead", "lg p id:int8* dead:bool #partly=lg_c", NULL,
    "2: lg_c refers to a partition of lg: its rows would go unrecorded; let a sentence name the "
    "partition" },
  { "table = orders\nwhere = true", ORDERS, NULL, NULL },
};

static void
test_its_table (void)
{
  ASSERT_ALL (TABLES);
}

/* --- the columns that it names --- */

static const Case COLUMNS[] = {
  { "table = carts\nwhere = dead\nset = gone_at = NULL", CARTS, NULL,
    "4: set: carts has no column gone_at" },
  { "table = carts\nwhere = dead\nset = last_lien = 1", CARTS, NULL,
    "4: set: carts has no column last_lien, did you mean last_line?" },
  { "table = carts\nwhere = dead\nset = id = 1", CARTS, NULL,
    "4: set: id is part of the primary key of carts and cannot be set" },
  { "table = sums\nwhere = true\nset = total = 1", "sums r id:int8* total:int4+", NULL,
    "4: set: total is generated from other columns and cannot be set" },
  { "table = codes\nwhere = true\nset = code = NULL", "codes r id:int8* code:text^users", NULL,
    "4: set: users refers to code: ON UPDATE would empty its rows, unrecorded" },
  { "table = carts\nkeep = 1 per owner by id", CARTS, NULL,
    "3: keep: carts has no column owner, did you mean owner_id?" },
  { "table = carts\nkeep = 1 by made_at desc", CARTS, NULL,
    "3: keep: carts has no column made_at" },
  { "table = items\nwhere = note < :T\ndue = expires_at", ITEMS, NULL,
    "4: due: items has no column expires_at" },
  { "table = uploads\nwhere = true\nobject = s3:b column s3_key", "uploads r id:int8* other:text",
    NULL, "4: object: uploads has no column s3_key" },
  { "table = uploads\nwhere = true\nobject = s3:b column s3_key", "uploads r id:int8* s3_key:int4",
    NULL, "4: object: s3_key is integer: the key of an object must be text or varchar" },
  { "table = uploads\nwhere = true\nobject = s3:b column s3_key",
    "uploads r id:int8* s3_key:varchar(90)", NULL, NULL },
};

static void
test_its_columns (void)
{
  ASSERT_ALL (COLUMNS);
}

static void
test_a_condition_that_may_change_rows (void)
{
  const Case one = { "table = items\nwhere = hit(id)", ITEMS, NULL,
                     "3: where: hit(bigint) is VOLATILE: it may change rows, and a condition may "
                     "not; if it changes nothing, declare it STABLE: ALTER FUNCTION hit(bigint) "
                     "STABLE" };
  catalogue_begin ();
  played_answer ("sentence_changes", "name\nhit(bigint)");
  assert_case (&one);
  g_assert_cmpstr (played_bound ("sentence_changes", "names"), ==, "{hit}");
}

/* --- children --- */

#define LINES "\nlines r id:int8* cart_id:int8!"

static const Case CHILDREN[] = {
  { "table = carts\nwhere = dead\nchildren = line", CARTS "\nline -", NULL,
    "4: children: there is no table line" },
  { "table = carts\nwhere = dead\nchildren = keyless", CARTS "\nkeyless r id:int8", NULL,
    "4: children: keyless has no foreign key to carts: write keyless(column), with the column that "
    "holds its key" },
  { "table = carts\nwhere = dead\nchildren = carts", CARTS, NULL,
    "4: children: carts has no foreign key to carts: write carts(column), with the column that holds "
    "its key" },
  { "table = carts\nwhere = dead\nchildren = keyless(cart)", CARTS "\nkeyless r id:int8", NULL,
    "4: children: keyless has no column cart" },
  { "table = carts\nwhere = dead\nchildren = lines(cart_id, id)", CARTS LINES, NULL,
    "4: children: lines: the key of carts has 1 column" },
  { "table = carts\nwhere = dead\nchildren = seen(cart_id)", CARTS "\nseen v id:int8 cart_id:int8",
    NULL, "4: children: seen is no table" },
  { "table = carts\nwhere = dead\nchildren = auto", CARTS "\n~lines r id:int8* cart_id:int8!",
    "lines(cart_id) carts(id) a\ncarts(last_line) lines(id) a",
    "2: carts and lines refer to each other in a circle, which public.carts_last_line_fkey closes: "
    "it can neither be deferred nor emptied" },
  { "table = carts\nwhere = dead\nchildren = lines", CARTS LINES, "lines(cart_id) carts(id) a",
    NULL },
  { "table = carts\nwhere = dead\nchildren = auto, logs(cart_id)",
    CARTS "\nlogs r id:int8* cart_id:int8\n~lines r id:int8* cart_id:int8!",
    "lines(cart_id) carts(id) a", NULL },
  /* it was a list of two tables once */
  { "table = carts\nwhere = dead\nchildren = auto, logs(cart_id)",
    CARTS "\nlogs r id:int8* cart_id:int8\n~auto r id:int8* cart_id:int8!",
    "auto(cart_id) carts(id) a", "4: children: auto is a table, too: write \"auto\" for it" },
  { "table = carts\nwhere = dead", CARTS "\n~notes r cart_id:int8 n:text",
    "notes(cart_id) carts(id) n", "2: notes has no primary key" },
};

static void
test_children (void)
{
  ASSERT_ALL (CHILDREN);
}

#define PORTION "table = orders\nwhere = true\nchildren = auto\nchildren_portion = 10"
#define LEAVE_OUT "so the rows below a row go at once: leave children_portion out"
#define CIRCLE                                                                                     \
  "5: children_portion: orders and lines refer to each other in a circle, which "                  \
  "public.orders_last_fkey closes, " LEAVE_OUT

static const Case PORTIONS[] = {
  { PORTION, "orders r id:int4* parent:int4", "orders(parent) orders(id) a",
    "5: children_portion: orders refers to itself (public.orders_parent_fkey), " LEAVE_OUT },
  { PORTION, "orders r id:int4*\n~lines r id:int4* o:int4 up:int4",
    "lines(o) orders(id) a\nlines(up) lines(id) a",
    "5: children_portion: lines refers to itself (public.lines_up_fkey), " LEAVE_OUT },
  { PORTION, "orders r id:int4* last:int4\n~lines r id:int4* o:int4",
    "lines(o) orders(id) a\norders(last) lines(id) a", CIRCLE },
  { PORTION, "orders r id:int4* last:int4\n~lines r id:int4* o:int4",
    "lines(o) orders(id) a\norders(last) lines(id) n", CIRCLE },
  { PORTION, "orders r id:int4*\n~lines r id:int4* o:int4", "lines(o) orders(id) a", NULL },
};

static void
test_portions (void)
{
  ASSERT_ALL (PORTIONS);
}

/* --- archives --- */

#define ARCHIVE "table = carts\nwhere = dead\narchive = old"

static const Case ARCHIVES[] = {
  { ARCHIVE, CARTS "\nold -", NULL, "4: archive: there is no table old" },
  { ARCHIVE, CARTS "\nold v id:int8", NULL,
    "4: archive: old is a view: name the table that its rows are in" },
  { ARCHIVE, CARTS "\nold r id:int8 dead:bool owner_id:int8", NULL,
    "4: archive: the archive old has no column last_line" },
  { ARCHIVE, "carts p id:int8* dead:bool\nold r id:int8* dead:bool #root=carts", NULL,
    "4: archive: the archive old is a part of carts, or the same" },
  { ARCHIVE, "carts r id:int8* dead:bool\nold r id:int8 dead:bool #catches=keep_out", NULL,
    "4: archive: the archive old has keep_out, which can keep rows away from it" },
  { ARCHIVE, "carts r id:int8* sum:int4\nold r id:int8 sum:int4+", NULL,
    "4: archive: sum is generated in the archive old: it would be lost" },
  { ARCHIVE, "carts r id:int8*\nold r id:text", NULL,
    "4: archive: id is int8, and text in the archive old: `restore` could not find the row "
    "there" },
  { ARCHIVE, "carts r id:int8* sum:numeric(9,2)\nold r id:int8 sum:numeric(9,1)", NULL,
    "4: archive: sum is numeric(9,2), and numeric(9,1) in the archive old, which can cut or round "
    "its values" },
  { ARCHIVE, CARTS "\nold r id:int8 dead:bool last_line:int8 owner_id:int8", NULL, NULL },
  { ARCHIVE "\nchildren = auto", "carts r id:int8* up:int8\nold r id:int8 up:int8",
    "carts(up) carts(id) a",
    "2: rows of carts refer to each other: what one refers to would be emptied before it reaches the "
    "archive" },
};

static void
test_archives (void)
{
  ASSERT_ALL (ARCHIVES);
}

/* --- events --- */

#define BY_PERSON "[event E]\ntopic = t\nkey = person_id = a\nmatch = any"

static const Case EVENTS[] = {
  { "table = people\non = E\n[event E]\ntopic = t\nkey = a, b\nmatch = any",
    "people r id:int8* name:text", NULL,
    "3: on: the key of [event E] has 2 paths, and the primary key of people 1 column" },
  { "table = rooms\non = E\n[event E]\ntopic = t\nkey = a\nmatch = any",
    "rooms r nr:int4* room:int4*", NULL,
    "3: on: the key of [event E] has 1 path, and the primary key of rooms 2 columns" },
  { "table = people\non = E\n[event E]\ntopic = t\nkey = a\nmatch = any",
    "people r id:int8* name:text", NULL, NULL },
  { "table = orders\non = E\n" BY_PERSON, "orders r id:int8* person_id:int8@", NULL, NULL },
  { "table = orders\non = E\n" BY_PERSON, "orders r id:int8* tenant:int4 person_id:int8", NULL,
    "3: on: events name rows of orders by person_id, and no index of all rows begins with it: "
    "CREATE INDEX CONCURRENTLY ON orders (person_id)" },
  { "table = orders\non = E\n" BY_PERSON, "orders p id:int8* person_id:int8", NULL,
    "3: on: events name rows of orders by person_id, and no index of all rows begins with it: "
    "CREATE INDEX ON orders (person_id)" },
  { "table = orders\non = E\n" BY_PERSON, "orders r id:int8* persons_id:int8@", NULL,
    "3: on: the key of the event: orders has no column person_id, did you mean persons_id?" },
  { "table = orders\non = E\n[event E]\ntopic = t\nkey = tenant = a, person_id = b\nmatch = any",
    "orders r id:int8* tenant:int4 person_id:int8@", NULL, NULL },
};

static void
test_events (void)
{
  ASSERT_ALL (EVENTS);
}

/* --- partitions --- */

/* A row of sentence_partitions.sql: name, kind, strategy, columns, type, ours, referenced. */
static void
test_partitions (void)
{
  static const char *const cases[][2] = {
    { "logs|p|l|1|date|f|-",
      "2: logs is partitioned by list: only partitions by range of time grow old" },
    { "logs|p|h|1|date|f|-",
      "2: logs is partitioned by hash: only partitions by range of time grow old" },
    { "logs|p|r|1|bigint|f|-",
      "2: logs is partitioned by a column of type bigint: date, timestamp or timestamptz is "
      "needed" },
    { "logs|p|r|1|text|f|-",
      "2: logs is partitioned by a column of type text: date, timestamp or timestamptz is needed" },
    { "logs|p|r|2|date|f|-",
      "2: logs is partitioned by several columns: one date or time is needed" },
    { "logs|p|r|1|-|f|-", "2: logs is partitioned by an expression: a column is needed" },
    { "logs|v|-|0|-|f|-", "2: logs is not partitioned: let `where` say which of its rows go" },
    { "-|-|-|0|-|f|-", "2: there is no table logs" },
    { "logs|p|r|1|date|f|remarks",
      "2: remarks refers to logs by a foreign key: its rows would be left without theirs" },
    { "logs|p|r|1|date|t|-", "2: logs is a table of the database or of pruned itself" },
    { "logs|p|r|1|date|f|-", NULL },
    { "logs|p|r|1|timestamp without time zone|f|-", NULL },
    { "logs|p|r|1|timestamp with time zone|f|-", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case one
        = { "table = logs\ndrop_partitions_older_than = 90 days", NULL, NULL, cases[i][1] };
    g_autofree char *rows = g_strconcat (
        "name|kind|strategy|columns|type|ours|referenced|literal\n", cases[i][0], "|'logs'", NULL);
    catalogue_begin ();
    played_answer ("sentence_partitions", rows);
    assert_case (&one);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/complete/tables", test_its_table);
  g_test_add_func ("/complete/columns", test_its_columns);
  g_test_add_func ("/complete/volatile", test_a_condition_that_may_change_rows);
  g_test_add_func ("/complete/children", test_children);
  g_test_add_func ("/complete/portions", test_portions);
  g_test_add_func ("/complete/archives", test_archives);
  g_test_add_func ("/complete/events", test_events);
  g_test_add_func ("/complete/partitions", test_partitions);
  return config_test_run ();
}
