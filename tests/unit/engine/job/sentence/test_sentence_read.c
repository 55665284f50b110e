/* From sections to sentences and events, and what is refused of them, with its line. */
#include "engine/job/sentence/sentence_read.h"

#include <glib/gstdio.h>
#include <string.h>

static char *folder, *path;

/* The first section of TEXT, the file that is written each time. */
static GPtrArray *
sections_with (const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  GPtrArray *sections = sections_new ();
  sections_of_file (sections, path);
  return sections;
}

static Sentence *
read_text (const char *text, GKeyFile *settings, GError **error)
{
  g_autoptr (GPtrArray) sections = sections_with (text);
  const Section *section = sections->pdata[0];
  if (section->broken != NULL) {
    g_set_error_literal (error, G_FILE_ERROR, 0, section->broken);
    return NULL;
  }
  return sentence_read (section, settings, error);
}

static char *
joined (char **items)
{
  return g_strjoinv ("|", items);
}

static void
test_orders (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autoptr (Sentence) sentence
      = read_text ("# ours\n[retention orders.purge]\n  table =  App.Orders  \n"
                   "where = note ~ '\\d\\s' AND a < :T\n"
                   "children = order_items, \"Order, Notes\" (Order_Id, \"a,b\")\n"
                   "schedule = 30 3 * * *\nbatch=70\nmax_share = 5 %\n",
                   settings, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (sentence->name, ==, "orders.purge");
  g_autofree char *place = g_strconcat (path, ":2", NULL);
  g_assert_cmpstr (sentence->place, ==, place);
  g_assert_cmpstr (sentence->table, ==, "app.orders");
  g_assert_cmpint (sentence->kind, ==, SENTENCE_DELETE);
  g_assert_cmpstr (sentence->where, ==, "note ~ '\\d\\s' AND a < :T");
  g_assert_cmpuint (sentence->children->len, ==, 2);
  const SentenceChild *items = sentence->children->pdata[0], *notes = sentence->children->pdata[1];
  g_assert_cmpstr (items->table, ==, "order_items");
  g_assert_null (items->columns);
  g_assert_cmpstr (notes->table, ==, "\"Order, Notes\"");
  g_autofree char *columns = joined (notes->columns);
  g_assert_cmpstr (columns, ==, "order_id|\"a,b\"");
  g_assert_false (sentence->children_auto);
  g_assert_false (sentence->audit_said);
  g_assert_null (sentence->on[0]);
  g_autofree char *batch = g_key_file_get_string (settings, "job", "batch", NULL),
                  *share = g_key_file_get_string (settings, "job", "max_share", NULL);
  g_assert_cmpstr (batch, ==, "70");
  g_assert_cmpstr (share, ==, "5 %");
}

static void
test_people (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autoptr (Sentence) sentence = read_text ("[retention]\ntable = people\non = Erase, Leave\n"
                                             "set = email = NULL, name = 'a, b', \"At\" = :T\n"
                                             "audit = keys\n",
                                             settings, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (sentence->name, ==, "jobs");
  g_assert_cmpint (sentence->kind, ==, SENTENCE_SET);
  g_assert_cmpint (sentence->audit, ==, SENTENCE_AUDIT_KEYS);
  g_assert_true (sentence->audit_said);
  g_assert_null (sentence->where);
  g_autofree char *on = joined (sentence->on);
  g_assert_cmpstr (on, ==, "Erase|Leave");
  static const char *const want[][2]
      = { { "email", "NULL" }, { "name", "'a, b'" }, { "\"At\"", ":T" } };
  g_assert_cmpuint (sentence->set->len, ==, G_N_ELEMENTS (want));
  for (guint i = 0; i < G_N_ELEMENTS (want); i++) {
    const SentenceSet *set = sentence->set->pdata[i];
    g_assert_cmpstr (set->column, ==, want[i][0]);
    g_assert_cmpstr (set->value, ==, want[i][1]);
  }
}

/* A line; the rows, `per` and `by` of its `keep`. */
static const struct {
  const char *text;
  gint64 rows;
  const char *per, *by;
} KEEPS[] = {
  { "5 per user_id by seen_at desc", 5, "user_id", "seen_at desc" },
  { "1 by id", 1, "", "id" },
  { "1 by a desc Nulls Last, b nulls last", 1, "", "a desc|b" },
  { "2 PER a , \"by\" BY Seen DESC, id asc,\"x, y\"", 2, "a|\"by\"", "seen desc|id asc|\"x, y\"" },
};

static void
test_keep (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (KEEPS); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GKeyFile) settings = g_key_file_new ();
    g_autofree char *text
        = g_strconcat ("[retention]\ntable = t\nkeep = ", KEEPS[i].text, "\n", NULL);
    g_autoptr (Sentence) sentence = read_text (text, settings, &error);
    g_assert_no_error (error);
    g_autofree char *per = joined (sentence->keep.per), *by = joined (sentence->keep.by);
    g_assert_cmpint (sentence->keep.rows, ==, KEEPS[i].rows);
    g_assert_cmpstr (per, ==, KEEPS[i].per);
    g_assert_cmpstr (by, ==, KEEPS[i].by);
  }
}

static void
test_kinds (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autoptr (Sentence) days = read_text (
      "[retention]\ntable = t\ndrop_partitions_older_than = 1 year 2 mons\n", settings, &error);
  g_assert_no_error (error);
  g_assert_cmpint (days->kind, ==, SENTENCE_PARTITIONS);
  g_assert_cmpstr (days->older_than, ==, "1 year 2 mons");
  g_autoptr (Sentence) files = read_text (
      "[retention]\ntable = t\nwhere = true\nobject = s3:up-loads.x  column \"S3 Key\"\n", settings,
      &error);
  g_assert_no_error (error);
  g_assert_cmpint (files->kind, ==, SENTENCE_OBJECTS);
  g_assert_cmpstr (files->bucket, ==, "up-loads.x");
  g_assert_cmpstr (files->object_column, ==, "\"S3 Key\"");
  g_autoptr (Sentence) archive = read_text (
      "[retention]\ntable = t\nwhere = true\narchive = old.t\nchildren = auto\n", settings, &error);
  g_assert_no_error (error);
  g_assert_cmpint (archive->kind, ==, SENTENCE_ARCHIVE);
  g_assert_cmpstr (archive->archive, ==, "old.t");
  g_assert_true (archive->children_auto);
}

/* What stands behind `[retention]`, from line 2 on; the line of the error, and a part of it. */
static const struct {
  const char *text;
  int line;
  const char *want;
} REFUSED[] = {
  { "where = true\n", 1, "there is no 'table'" },
  { "table = t\n", 1, "which rows?" },
  { "table = t\nwehre = true\n", 3, "unknown key 'wehre' in [retention], did you mean 'where'?" },
  { "table = t\nbacth = 1\nwhere = true\n", 3, "did you mean 'batch'?" },
  { "table = t\nwhere = true\nwhere = false\n", 4,
    "'where' in [retention] appears twice, first in line 3" },
  { "table = t\nwhere = true\nbatch = many\n", 4, "batch: " },
  { "table = t\nwhere = true\nbatch = 0\n", 4, "batch: " },
  { "table = t\nwhere = true\nschedule = 61 * * * *\n", 4, "schedule: " },
  { "table = t\nwhere = true\ntime_zone = Nowhere/Land\n", 4, "time_zone: " },
  { "table = t\nwhere = true\napprove = sometimes\n", 4, "approve: " },
  { "table = a.b.c\nwhere = true\n", 2, "table: 'a.b.c' is not a name" },
  { "table = t; DROP TABLE x\nwhere = true\n", 2, "table: " },
  { "table =\nwhere = true\n", 2, "table: a name is missing" },
  { "table = t\nwhere =\n", 3, "where: the value is empty" },
  { "table = t\nwhere = true; DELETE FROM t\n", 3, "where: ';'" },
  { "table = t\nwhere = a = 1) OR (true\n", 3, "where: ')'" },
  { "table = t\nwhere = true   # all\n", 0, NULL }, /* an operator, for PostgreSQL to refuse */
  { "table = t\nwhere = true -- all\n", 3, "where: a comment" },
  { "table = t\nwhere = a < :now\n", 3, "where: unknown parameter ':now'" },
  { "table = t\nwhere = true\nchildren = a b\n", 4, "children: 'a b' is not a table" },
  { "table = t\nwhere = true\nchildren = a, a\n", 4, "children: the table a twice" },
  { "table = t\nwhere = true\nchildren = a(x), a(y)\n", 0, NULL },
  { "table = t\nwhere = true\nchildren = auto, usage_log(t_id)\n", 0, NULL },
  { "table = t\nwhere = true\nchildren = auto, a, auto\n", 4, "children: auto twice" },
  { "table = t\nwhere = true\nremember = 10 years\nborn = made\n", 0, NULL },
  { "table = t\non = Erase\nremember = 1 day\nborn = none\n", 0, NULL },
  { "table = t\nwhere = true\nremember = ten years\nborn = made\n", 4, "remember: expected" },
  { "table = t\nwhere = true\nremember = 10\nborn = made\n", 4, "remember: expected" },
  { "table = t\nwhere = true\nremember = 0 days\nborn = made\n", 4, "remember: expected" },
  { "table = t\nwhere = true\nremember = 10 years\n", 4, "when a row of t was made" },
  { "table = t\nwhere = true\nborn = made\n", 4, "born: only beside 'remember'" },
  { "table = t\nwhere = true\nkeep = 5 by id\nremember = 1 year\nborn = made\n", 5,
    "remember: not with 'keep'" },
  { "table = t\ndrop_partitions_older_than = 9 days\nremember = 1 year\nborn = made\n", 4,
    "remember: not with 'drop_partitions_older_than'" },
  { "table = t\nwhere = true\nchildren = auto, a(x), a\n", 4, "children: the table a twice" },
  { "table = t\nwhere = true\nchildren = a()\n", 4, "children: " },
  { "table = t\nwhere = true\nchildren =\n", 4, "children: the value is empty" },
  { "table = t\nwhere = true\nset = a\n", 4, "set: 'a' is not 'column = value'" },
  { "table = t\nwhere = true\nset = a =\n", 4, "set: a: the value is empty" },
  { "table = t\nwhere = true\nset = a = 1, \"b\" = 2, a = 3\n", 4, "set: the column a twice" },
  { "table = t\nwhere = true\nset = a = 1; x\n", 4, "set: ';'" },
  { "table = t\nwhere = true\nset = t.a = 1\n", 4, "set: 't.a = 1' is not" },
  { "table = t\nwhere = true\nset = a = 1\nchildren = auto\n", 5,
    "children: not 'auto' beside 'set', because the row stays: name the tables whose rows go" },
  { "table = t\nwhere = true\naudit = none\n", 4, "audit: expected full, keys or off, not 'none'" },
  { "table = t\non = E\nticks = on\n", 4, "ticks: a run of a tick needs 'where' or 'keep'" },
  { "table = t\nwhere = true\nticks = off\n", 4, "ticks: without 'on' nothing else starts a run" },
  { "table = t\non = E\nwhere = true\nschedule = 0 3 * * *\nticks = off\n", 6,
    "ticks: off, and 'schedule' in line 5 sends them" },
  { "table = t\non = E\nwhere = true\nticks = yes\n", 5, "ticks: expected on or off, not 'yes'" },
  { "table = t\non = E\nwhere = true\nticks = on\n", 0, NULL },
  { "table = t\non = E\nkeep = 5 by a\nschedule = off\nticks = off\n", 0, NULL },
  { "table = t\nwhere = a AT TIME ZONE 'UTC+3' < :T\n", 3, "where: at TIME ZONE 'UTC+3' is read" },
  { "table = t\nwhere = a AT TIME ZONE E'UTC+3' < :T\n", 3, "where: at TIME ZONE 'UTC+3' is" },
  { "table = t\nwhere = a AT TIME ZONE $z$UTC+3$z$ < :T\n", 3, "where: at TIME ZONE 'UTC+3' is" },
  { "table = t\nwhere = date_trunc('day', (a), 'UTC+3') < :T\n", 3,
    "where: date_trunc of 'UTC+3'" },
  { "table = t\nwhere = make_timestamptz(2026, 1, 1, 0, 0, 0, '+03') < :T\n", 3,
    "where: make_timestamptz of '+03'" },
  { "table = t\nwhere = date_trunc('day', b - interval '+03:00', 'Asia/Tokyo') < :T\n", 0, NULL },
  { "table = t\nwhere = date_trunc('day', f(a, '+03:00')) < :T AND b = '+03:00'\n", 0, NULL },
  { "table = t\nwhere = true\ntime_zone = UTC+3\n", 4,
    "time_zone: time zone 'UTC+3' is read by the rules of POSIX" },
  { "table = t\nwhere = true\nnot_between = 07:00-20:00 UTC+3\n", 4,
    "not_between: time zone 'UTC+3' is read by the rules of POSIX" },
  { "table = t\nkeep = 5 per a\n", 3, "keep: 'by' is missing" },
  { "table = t\nkeep = 0 by a\n", 3, "keep: expected N" },
  { "table = t\nkeep = -1 by a\n", 3, "keep: expected N" },
  { "table = t\nkeep = five by a\n", 3, "keep: expected N" },
  { "table = t\nkeep = 5 user_id by a\n", 3, "keep: expected 'per' or 'by' at 'user_id'" },
  { "table = t\nkeep = 5 per by a\n", 3, "keep: per: the value is empty" },
  { "table = t\nkeep = 5 per a by\n", 3, "keep: by: the value is empty" },
  { "table = t\nkeep = 5 per a, a by b\n", 3, "keep: per: the column a twice" },
  { "table = t\nkeep = 5 by a downwards\n", 3, "keep: by: 'a downwards' is not" },
  { "table = t\nkeep = 5 by a nulls first\n", 3,
    "keep: by: 'a nulls first': NULL is always oldest" },
  { "table = t\nkeep = 5 by a nulls\n", 3, "keep: by: 'a nulls': NULL is always oldest" },
  { "table = t\nset = a = 1\nwhere = true\narchive = u\n", 5,
    "'set' and 'archive' exclude each other" },
  { "table = t\nwhere = true\narchive = u\nobject = s3:b column c\n", 5, "exclude each other" },
  { "table = t\ndrop_partitions_older_than = 1 day\narchive = u\n", 4, "exclude each other" },
  { "table = t\nwhere = true\ndrop_partitions_older_than = 1 day\n", 3,
    "where: not with 'drop_partitions_older_than'" },
  { "table = t\nwhere = true\ndata_consistency = eventual\n", 4,
    "expected always, sticky or delayed, not 'eventual'" },
  { "table = t\ndrop_partitions_older_than = 1 day\ndata_consistency = sticky\n", 4,
    "data_consistency: not with 'drop_partitions_older_than'" },
  { "table = t\ndrop_partitions_older_than = -1 day\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 0 days\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 90 days ago\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 1000 years\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 1 day\nmax_share = 1 %\n", 4,
    "max_share: not with 'drop_partitions_older_than'" },
  { "table = t\ndrop_partitions_older_than = days\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 1 day' OR '\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 90\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 1 day -2 days\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 5 minutes\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = 99999 days\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = '90 days'\n", 3, "expected an interval" },
  { "table = t\ndrop_partitions_older_than = tomorrow\n", 3, "expected an interval" },
  { "table = t\nwhere = true\nchildren_portion = 0\n", 4,
    "expected off, or a number of rows from 1 to 100000" },
  { "table = t\nwhere = true\nchildren_portion = many\n", 4,
    "expected off, or a number of rows from 1 to 100000" },
  { "table = t\nwhere = true\nset = a = NULL\nchildren_portion = 5\n", 5,
    "children_portion: not with 'set'" },
  { "table = t\nwhere = true\nobject = s3:b column k\nchildren_portion = 5\n", 5,
    "children_portion: not with 'object'" },
  { "table = t\ndrop_partitions_older_than = 9 days\nchildren_portion = 5\n", 4,
    "children_portion: not with 'drop_partitions_older_than'" },
  { "table = t\nwhere = true\ndata_consistency = stiky\n", 4,
    "expected always, sticky or delayed, not 'stiky'" },
  { "table = t\nwhere = true\ndata_consistency = Sticky\n", 4,
    "expected always, sticky or delayed, not 'Sticky'" },
  { "table = t\nwhere = true\ndata_consistency =\n", 4,
    "expected always, sticky or delayed, not ''" },
  { "table = t\nwhere = true\nbatch = 100 # rows\n", 4, "batch: '100 # rows' is not valid" },
  { "table = t\nwhere = true\nbatch = 100 # rows\n", 4, "; a remark (#) has a line of its own" },
  { "table = t\nwhere = true\nschedule = 30 3 * * *  # at night\n", 4, "has 8 fields, expected 5" },
  { "table = t\nwhere = true\nschedule = 30 3 * * *  # at night\n", 4,
    "; a remark (#) has a line of its own" },
  { "table = t\nwhere = true\nobject = local:x column c\n", 4,
    "object: expected s3:BUCKET column NAME" },
  { "table = t\nwhere = true\nobject = s3: column c\n", 4, "object: expected" },
  { "table = t\nwhere = true\nobject = s3:b\n", 4, "object: expected" },
  { "table = t\nwhere = true\nobject = s3:b column a b\n", 4, "object: 'a b' is not a name" },
  { "table = t\nwhere = true\narchive = T\n", 4, "archive: t is the job's own table" },
  { "table = t\non = X\nschedule = 1 1 * * *\n", 4, "schedule: a scheduled run needs" },
  { "table = t\non =\n", 3, "on: the value is empty" },
  { "table = t\nnonsense\n", 3, "expected [section], key = value or # comment" },
  { "table = t\n[run]\nmode = apply\n", 3, "unknown section [run]" },
};

static void
test_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (REFUSED); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GKeyFile) settings = g_key_file_new ();
    g_autofree char *text = g_strconcat ("[retention]\n", REFUSED[i].text, NULL),
                    *place = g_strdup_printf ("%s:%d: ", path, REFUSED[i].line);
    g_autoptr (Sentence) sentence = read_text (text, settings, &error);
    g_test_message ("%s\n%s", REFUSED[i].text, error != NULL ? error->message : "taken");
    g_assert_true ((sentence == NULL) == (REFUSED[i].want != NULL));
    if (sentence != NULL)
      continue;
    g_assert_true (g_str_has_prefix (error->message, place));
    g_assert_nonnull (strstr (error->message, REFUSED[i].want));
  }
}

static void
test_names (void)
{
  static const char *const wrong[] = { "a b", "a/b", "-a", ".a", "a:b", "ä", "\"a\"" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GKeyFile) settings = g_key_file_new ();
    g_autofree char *text = g_strdup_printf ("[retention %s]\ntable = t\nwhere = true\n", wrong[i]);
    g_assert_null (read_text (text, settings, &error));
    g_assert_nonnull (strstr (error->message, "cannot be a name"));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("sentence-XXXXXX", NULL);
  path = g_build_filename (folder, "jobs.conf", NULL);
  g_test_add_func ("/job/sentence_read/orders", test_orders);
  g_test_add_func ("/job/sentence_read/people", test_people);
  g_test_add_func ("/job/sentence_read/keep", test_keep);
  g_test_add_func ("/job/sentence_read/kinds", test_kinds);
  g_test_add_func ("/job/sentence_read/refused", test_refused);
  g_test_add_func ("/job/sentence_read/names", test_names);
  int failed = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
  return failed;
}
