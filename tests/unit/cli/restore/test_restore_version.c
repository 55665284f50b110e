/* Whether a run can be restored with what is known of its job: docs/adding-a-job.md, "Changed while
 * it runs". */
#include "cli/restore/restore.h"

#include "support/played.h"

#include <string.h>

typedef enum { GONE, BUILT_IN, FOLDER, SENTENCE } Kind;

typedef struct {
  Kind kind;           /* of the job in force */
  const char *now;     /* its version */
  const char *had;     /* of the run; NULL: none was noted */
  const char *earlier; /* versions before that; `-`: none */
  const char *begun;   /* a step of the run has ended */
  const char *why;     /* NULL: it can be restored */
  gboolean same;       /* by the job in force, else by the audit alone */
} Case;

static const Case CASES[] = {
  { BUILT_IN, "a", NULL, "-", "t", NULL, TRUE },
  { BUILT_IN, "a", "b", "-", "t", NULL, TRUE },
  { SENTENCE, "a", "a", "-", "t", NULL, TRUE },
  /* the audit has all that the run did, whatever the job is now */
  { SENTENCE, "b", "a", "-", "t", NULL, FALSE },
  { GONE, NULL, "a", "-", "t", NULL, FALSE },
  { FOLDER, "b", "a", "a, b", "t", NULL, FALSE },
  /* it has not all, so that version has to be in force */
  { SENTENCE, "a-bound", "a-bound", "-", "t", NULL, TRUE },
  { SENTENCE, "b-bound", "a-bound", "-", "t", "version b-bound is in force", FALSE },
  { SENTENCE, "a", "a-bound", "-", "t", "version a is in force", FALSE },
  { GONE, NULL, "a-bound", "-", "t", "no such job is in force", FALSE },
  /* steps of several versions, one of which is bound */
  { SENTENCE, "b", "b", "a-bound", "t", "was done by several versions", TRUE },
  { SENTENCE, "b-bound", "b-bound", "a", "t", "was done by several versions", TRUE },
  { SENTENCE, "a-bound", "a-bound", "a-bound", "t", NULL, TRUE },
  { SENTENCE, "b", "b", "a", "t", NULL, TRUE },
  /* from before versions were noted: no sentence is so old */
  { FOLDER, "a", NULL, "-", "t", NULL, TRUE },
  { SENTENCE, "a", NULL, "-", "t", "is not known", TRUE },
  { GONE, NULL, NULL, "-", "t", "is not known", FALSE },
  { GONE, NULL, NULL, "-", "f", NULL, FALSE },
};

static void
assert_case (const Case *one)
{
  Sentence sentence = { 0 };
  Job job = { .name = "a.b",
              .version = (char *)one->now,
              .built_in = one->kind == BUILT_IN,
              .sentence = one->kind == SENTENCE ? &sentence : NULL };
  gpointer run = "7fecac87", in_force = one->kind == GONE ? NULL : &job, had = (char *)one->had;
  Restore restore
      = { .runs = g_ptr_array_new (), .jobs = g_ptr_array_new (), .versions = g_ptr_array_new () };
  g_ptr_array_add (restore.runs, run);
  g_ptr_array_add (restore.jobs, in_force);
  g_ptr_array_add (restore.versions, had);
  g_autofree char *text
      = g_strdup_printf ("job|begun|earlier\na.b|%s|%s", one->begun, one->earlier);
  g_autoptr (PgRows) rows = played_rows (text);
  g_autoptr (GError) error = NULL;
  const ExitCode code = restore_check_version (&restore, 0, rows, 0, &error);
  g_assert_cmpint (code, ==, one->why == NULL ? CODE_OK : CODE_NOT_FOUND);
  g_assert_true ((error == NULL) == (one->why == NULL));
  if (one->why != NULL)
    g_assert_nonnull (strstr (error->message, one->why));
  g_assert_true ((restore_same_job (&restore, 0) != NULL) == one->same);
  g_ptr_array_unref (restore.runs);
  g_ptr_array_unref (restore.jobs);
  g_ptr_array_unref (restore.versions);
}

static void
test_versions (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_test_message ("%u", i);
    assert_case (&CASES[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/restore_version/versions", test_versions);
  return g_test_run ();
}
