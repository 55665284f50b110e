/* Since when rows are due, as a condition says it. The table is written by hand. */
#include "engine/job/sentence/sentence_due.h"

#include "engine/job/sentence/sentence_read.h"

#include <glib/gstdio.h>
#include <string.h>

/* What stands behind `table = t`; the column and the age; NULL: not known. */
static const struct {
  const char *text, *column, *age;
} CASES[] = {
  { "where = expires_at < :T", "expires_at", "0 days" },
  { "where = expires_at <= :T AND done", "expires_at", "0 days" },
  { "where = done AND at < :T - interval '90 days' AND note = 'x AND y'", "at", "90 days" },
  { "where = at < :T - '1 year 2 months'::interval", "at", "1 year 2 months" },
  { "where = at < :T - INTERVAL '90 days'", "at", "90 days" },
  { "where = :T > expires_at", "expires_at", "0 days" },
  { "where = :T - interval '2 weeks' >= t.at", "at", "2 weeks" },
  { "where = at + interval '30 days' < :T and done", "at", "30 days" },
  { "where = \"At, or\" < :T - interval '1 day'", "\"At, or\"", "1 day" },
  { "where = AT < :T", "at", "0 days" },
  { "where = \"t\".\"A.B\" < :T", "\"A.B\"", "0 days" },
  { "where = at < :T AND EXISTS (SELECT FROM o WHERE o.until < :T OR true)", "at", "0 days" },
  /* not in a form that says it */
  { "where = at < :T OR done", NULL, NULL },
  { "where = NOT at < :T", NULL, NULL },
  { "where = (at < :T)", NULL, NULL },
  { "where = at > :T", NULL, NULL },
  { "where = at = :T", NULL, NULL },
  { "where = :T < at", NULL, NULL },
  { "where = at < :T - interval '3' day", NULL, NULL },
  { "where = at < :T + interval '3 days'", NULL, NULL },
  { "where = at < :T - (age)::interval", NULL, NULL },
  { "where = at < :T - $$3 days$$::interval", NULL, NULL },
  { "where = at < :T - interval '3 ''days'", NULL, NULL },
  { "where = lower(note) < 'a' AND date_trunc('day', at) < :T", NULL, NULL },
  { "where = coalesce(at, 'epoch') < :T", NULL, NULL },
  { "where = at BETWEEN 'epoch' AND at < :T", NULL, NULL },
  { "where = CASE WHEN a AND at < :T AND b THEN true END", NULL, NULL },
  { "where = note = 'at < :T'", NULL, NULL },
  { "where = done", NULL, NULL },
  { "where = a < :T AND b < :T", NULL, NULL },
  /* said */
  { "where = done\ndue = at + 90 days", "at", "90 days" },
  { "where = done\ndue = at + 0 days", "at", "0 days" },
  { "where = a < :T - interval '5 days' AND b < :T\ndue = a", "a", "5 days" },
  { "where = a < :T\ndue = b + 1 day", "b", "1 day" },
  { "where = a < :T\ndue = \"A\"", "\"A\"", NULL },
  { "where = done\ndue = at", "at", NULL },
};

/* Beside a deadline, what is refused from line 4 on. */
static const struct {
  const char *text, *want;
} REFUSED[] = {
  { "where = at < :T", NULL },
  { "where = done\ndue = at + 3 days", NULL },
  { "on = X\ndue = at + 3 days", NULL },
  { "where = done", "deadline: since when is a row due?" },
  { "on = X", "deadline: since when is a row due?" },
  { "where = at < :T OR done\ndue = at", "write due = at + 90 days, or + 0 days" },
  { "where = at < :T\ndue = at + soon", "due: expected an interval behind the +" },
  { "where = at < :T\ndue = at - 3 days", "due: expected a column, or COLUMN + 90 days" },
  { "where = at < :T\ndue_unit = weeks", "due_unit: expected days, s, ms or us" },
  { "where = at < :T\nset = note = NULL", "deadline: not with 'set'" },
  { "drop_partitions_older_than = 90 days", "deadline: not with 'drop_partitions_older_than'" },
};

/* What stands behind `deadline =`, the condition of it, what is refused. */
static const struct {
  const char *text, *unless, *want;
} UNLESS[] = {
  { "7 days", NULL, NULL },
  { "7 days unless state = 'open'", "state = 'open'", NULL },
  { "12 hours  UNLESS  note ~ ' unless '", "note ~ ' unless '", NULL },
  { "7 days unless at > :T - interval '1 year'", "at > :T - interval '1 year'", NULL },
  { "7 days unless", NULL, "deadline: unless: " },
  { "7 days unless a; DROP TABLE t", NULL, "';' cannot stand" },
  { "7 days unless a -- b", NULL, "deadline: unless: " },
  { "7 days unless (a", NULL, "deadline: unless: " },
  { "7 days unless a = :key", NULL, "deadline: unless: " },
  { "7 days unless at > :T - interval '30'", NULL, "deadline: unless: " },
  { "unless a", NULL, "deadline: " },
  { "soon unless a", NULL, "deadline: " },
};

static char *folder, *path;

static Sentence *
read_text (const char *more, const char *text, GError **error)
{
  g_autoptr (GKeyFile) settings = g_key_file_new ();
  g_autofree char *whole = g_strdup_printf ("[retention j]\ntable = t\n%s%s\n", more, text);
  g_assert_true (g_file_set_contents (path, whole, -1, NULL));
  g_autoptr (GPtrArray) sections = sections_new ();
  sections_of_file (sections, path);
  return sentence_read (sections->pdata[0], settings, error);
}

static void
test_since_when (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Sentence) sentence = read_text ("", CASES[i].text, &error);
    g_test_message ("%s", CASES[i].text);
    g_assert_no_error (error);
    g_assert_cmpstr (sentence->due != NULL ? sentence->due : sentence->due_found, ==,
                     CASES[i].column);
    g_assert_cmpstr (sentence->due_age, ==, CASES[i].age);
  }
}

static void
test_a_deadline_needs_it (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (REFUSED); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (Sentence) sentence = read_text ("deadline = 7 days\n", REFUSED[i].text, &error);
    g_test_message ("%s\n%s", REFUSED[i].text, error != NULL ? error->message : "taken");
    g_assert_true ((sentence == NULL) == (REFUSED[i].want != NULL));
    if (sentence == NULL)
      g_assert_nonnull (strstr (error->message, REFUSED[i].want));
  }
}

static void
test_what_it_excuses (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (UNLESS); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *more = g_strdup_printf ("deadline = %s\n", UNLESS[i].text);
    g_autoptr (Sentence) sentence = read_text (more, "where = at < :T", &error);
    g_test_message ("%s\n%s", UNLESS[i].text, error != NULL ? error->message : "taken");
    g_assert_true ((sentence == NULL) == (UNLESS[i].want != NULL));
    if (sentence != NULL)
      g_assert_cmpstr (sentence->unless, ==, UNLESS[i].unless);
    else {
      g_assert_nonnull (strstr (error->message, UNLESS[i].want));
      g_assert_nonnull (strstr (error->message, "jobs.conf:3: "));
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("due-XXXXXX", NULL);
  path = g_build_filename (folder, "jobs.conf", NULL);
  g_test_add_func ("/job/sentence_due/since_when", test_since_when);
  g_test_add_func ("/job/sentence_due/deadline", test_a_deadline_needs_it);
  g_test_add_func ("/job/sentence_due/unless", test_what_it_excuses);
  int failed = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
  return failed;
}
