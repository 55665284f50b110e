/* What files of apply change is compared with what they return: docs/adding-a-job.md, "What the
 * engine does not believe". PostgreSQL's counts are played. */
#include "engine/step/effects.h"

#include "support/steps.h"

#include <string.h>

#define OWN "orders" /* the job's table */
#define BELOW "lines"

static StepScene *scene;

/* One run of a file. Counts are (deleted, updated, inserted), of this file alone. */
typedef struct {
  const char *table;
  ApplyKind kind;
  int returned;
  BesideCount of_table, of_own; /* the latter if TABLE is another one */
  gboolean fits;
  gboolean parted, upserts;
  const char *known; /* what the catalogue says (there, counted, touches); NULL: `t|t|f` */
  gboolean warns;    /* of rows that are in no audit */
} Case;

#define TRIGGER "t|t|t" /* one that runs on this may be the reason */
#define VIEW "t|f|f"    /* or a foreign table, or track_counts = off */
#define ABSENT "f|f|f"

static void
add_counts (GString *rows, BesideCount count, gboolean parted)
{
  g_string_append_printf (rows, "\n%d|%d|%d|%s", (int)count.deleted, (int)count.updated,
                          (int)count.inserted, parted ? "t" : "f");
}

/* Before and after a file: what the transaction had done before stays in the counts. */
static void
answer_counts (const Case *one, gint64 times)
{
  const gboolean own = g_str_equal (one->table, OWN);
  g_autoptr (GString) rows = g_string_new ("deleted|updated|inserted|parted");
  const BesideCount table = one->of_table, other = one->of_own;
  add_counts (rows,
              (BesideCount){ 10 + times * table.deleted, 20 + times * table.updated,
                             30 + times * table.inserted },
              one->parted);
  if (!own)
    add_counts (rows,
                (BesideCount){ 100 + times * other.deleted, 200 + times * other.updated,
                               300 + times * other.inserted },
                FALSE);
  played_answer ("effects_counts", rows->str);
}

static PgRows *
returned_rows (int n)
{
  g_autoptr (GString) text = g_string_new ("key");
  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "\n%d", i);
  return played_rows (text->str);
}

/* The pipeline of one file: counts, the file, counts. */
static gboolean
run_file (const Case *one, const JobApply *file, Effects *effects, GError **error)
{
  Step *step = scene->step;
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "key", "{}");
  g_assert_true (effects_queue_first (step, effects, error));
  g_assert_true (pg_queue (step->pg, file->statement, values, error));
  g_assert_true (effects_queue (step, effects, file, error) && pg_flush (step->pg, error));
  g_assert_true (effects_take_first (step, effects, error));
  g_autoptr (PgRows) taken = pg_next (step->pg, error), rows = returned_rows (one->returned);
  g_assert_nonnull (taken);
  return effects_take (step, effects, file, rows, g_str_equal (one->table, OWN), error)
         && pg_finish (step->pg, error) && effects_settle (step, effects, error);
}

static void
assert_judged (const Case *one, const JobApply *file, gboolean ok, const GError *error)
{
  const char *name = pg_statement_name (file->statement) + strlen ("/own/");
  g_autofree char *prefix = g_strdup_printf ("guard: %s ", name);
  g_assert_cmpint (ok, ==, one->fits);
  g_assert_cmpint (scene->step->blocked, ==, !one->fits);
  g_assert_cmpuint (scene->step->logs->len, ==, one->warns ? 1 : 0);
  if (one->fits) {
    g_assert_no_error (error);
    return;
  }
  g_assert_error (error, PRUNED_ERROR, PRUNED_RETRY);
  g_assert_cmpstr (scene->step->error_class, ==, "guard");
  if (!g_str_has_prefix (error->message, prefix))
    g_error ("'%s' does not name %s", error->message, name);
}

static void
check (const Case *one, guint i)
{
  g_autoptr (GError) error = NULL;
  Effects effects;
  g_autofree char *known
      = g_strconcat ("there|counted|touches\n", one->known != NULL ? one->known : "t|t|f", NULL);
  scene = steps_begin ("", NULL);
  steps_own_folder (scene, "id bigint");
  JobApply *file = steps_own_file (scene, "removed", one->table, one->kind);
  file->upserts = one->upserts;
  if (!g_str_equal (one->table, OWN)) {
    steps_own_file (scene, "removed", OWN, APPLY_DELETE);
    file = &g_array_index (job_what (&scene->job, "removed")->apply, JobApply, 0);
  }
  g_test_message ("%u", i);
  answer_counts (one, 0);
  answer_counts (one, 1);
  played_answer ("effects_doubt", known);
  effects_init (&effects, &scene->job);
  const gboolean ok = run_file (one, file, &effects, &error);
  assert_judged (one, file, ok, error);
  effects_clear (&effects);
  steps_end ();
}

static void
check_all (const Case *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    check (&cases[i], i);
}

static void
test_a_file_that_deletes_the_own_rows (void)
{
  static const Case cases[] = {
    { OWN, APPLY_DELETE, 2, { 2, 0, 0 }, .fits = TRUE },
    { OWN, APPLY_DELETE, 0, { 0, 0, 0 }, .fits = TRUE },
    { OWN, APPLY_DELETE, 2, { 3, 0, 0 } },
    { OWN, APPLY_DELETE, 0, { 1, 0, 0 } },
    { OWN, APPLY_DELETE, 2, { 3, 0, 0 }, .known = TRIGGER, .fits = TRUE, .warns = TRUE },
    { OWN, APPLY_DELETE, 2, { 1, 0, 0 } },
    { OWN, APPLY_DELETE, 2, { 0, 0, 0 } },
    { OWN, APPLY_DELETE, 2, { 1, 0, 0 }, .known = TRIGGER }, /* no trigger returns rows */
    { OWN, APPLY_DELETE, 2, { 0, 0, 0 }, .known = VIEW, .fits = TRUE },
    { OWN, APPLY_DELETE, 2, { 0, 0, 0 }, .known = ABSENT },
    { OWN, APPLY_DELETE, 2, { 2, 1, 0 } }, /* its name does not say so */
    { OWN, APPLY_DELETE, 2, { 2, 0, 1 } },
    { OWN, APPLY_DELETE, 2, { 2, 1, 0 }, .known = TRIGGER, .fits = TRUE },
    { OWN, APPLY_DELETE, 2, { 2, 0, 0 }, .parted = TRUE, .fits = TRUE },
  };
  check_all (cases, G_N_ELEMENTS (cases));
}

static void
test_a_file_that_updates_the_own_rows (void)
{
  static const Case cases[] = {
    { OWN, APPLY_UPDATE, 2, { 0, 2, 0 }, .fits = TRUE },
    { OWN, APPLY_UPDATE, 2, { 0, 3, 0 } },
    { OWN, APPLY_UPDATE, 2, { 0, 3, 0 }, .known = TRIGGER, .fits = TRUE },
    { OWN, APPLY_UPDATE, 2, { 0, 1, 0 } },
    { OWN, APPLY_UPDATE, 2, { 0, 0, 0 }, .known = VIEW, .fits = TRUE },
    { OWN, APPLY_UPDATE, 2, { 1, 2, 0 } }, /* no audit has it */
    { OWN, APPLY_UPDATE, 2, { 1, 2, 0 }, .known = TRIGGER, .fits = TRUE, .warns = TRUE },
    { OWN, APPLY_UPDATE, 2, { 2, 0, 0 } },
    { OWN, APPLY_UPDATE, 2, { 2, 0, 0 }, .known = TRIGGER },
    { OWN, APPLY_UPDATE, 2, { 0, 2, 1 } }, /* its name does not say so */
    { OWN, APPLY_UPDATE, 2, { 0, 2, 1 }, .known = TRIGGER, .fits = TRUE },
    /* rows that move to another partition are not deleted */
    { OWN, APPLY_UPDATE, 2, { 1, 1, 1 }, .parted = TRUE, .fits = TRUE },
    { OWN, APPLY_UPDATE, 2, { 2, 0, 2 }, .parted = TRUE, .fits = TRUE },
    { OWN, APPLY_UPDATE, 2, { 2, 1, 1 }, .parted = TRUE },
    { OWN, APPLY_UPDATE, 2, { 1, 1, 1 } },
  };
  check_all (cases, G_N_ELEMENTS (cases));
}

/* Of a file about another table: what it returns must have changed there. More is the
 * application's affair, but not in the job's own table. */
static void
test_a_file_about_another_table (void)
{
  static const Case cases[] = {
    { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, .fits = TRUE },
    { BELOW, APPLY_DELETE, 2, { 5, 0, 0 }, .fits = TRUE },
    { BELOW, APPLY_DELETE, 2, { 2, 3, 3 }, .fits = TRUE },
    { BELOW, APPLY_DELETE, 2, { 1, 0, 0 } },
    { BELOW, APPLY_DELETE, 2, { 0, 0, 0 }, .known = ABSENT },
    { BELOW, APPLY_DELETE, 2, { 0, 0, 0 }, .known = VIEW, .fits = TRUE },
    { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, { 1, 0, 0 } },
    { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, { 0, 1, 0 } },
    { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, { 0, 0, 1 } },
    { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, { 0, 1, 1 }, .known = TRIGGER, .fits = TRUE },
    { BELOW,
      APPLY_DELETE,
      2,
      { 2, 0, 0 },
      { 1, 0, 0 },
      .known = TRIGGER,
      .fits = TRUE,
      .warns = TRUE },
    { BELOW, APPLY_UPDATE, 2, { 0, 2, 0 }, .fits = TRUE },
    { BELOW, APPLY_UPDATE, 2, { 0, 4, 0 }, .fits = TRUE },
    { BELOW, APPLY_UPDATE, 2, { 0, 1, 0 } },
    { BELOW, APPLY_UPDATE, 2, { 1, 2, 0 } },
    { BELOW, APPLY_UPDATE, 2, { 0, 2, 0 }, { 0, 1, 0 } },
    { BELOW, APPLY_UPDATE, 2, { 0, 2, 0 }, { 1, 0, 0 } },
  };
  check_all (cases, G_N_ELEMENTS (cases));
}

static void
test_a_file_that_inserts (void)
{
  static const Case cases[] = {
    { BELOW, APPLY_INSERT, 2, { 0, 0, 2 }, .fits = TRUE },
    { BELOW, APPLY_INSERT, 0, { 0, 0, 2 }, .fits = TRUE }, /* it need not return anything */
    { BELOW, APPLY_INSERT, 2, { 1, 0, 2 } },
    { BELOW, APPLY_INSERT, 2, { 0, 1, 2 } },
    { BELOW, APPLY_INSERT, 2, { 1, 0, 2 }, .known = TRIGGER, .fits = TRUE, .warns = TRUE },
    { BELOW, APPLY_INSERT, 2, { 0, 1, 2 }, .known = TRIGGER, .fits = TRUE },
    { BELOW, APPLY_INSERT, 2, { 0, 2, 0 }, .known = TRIGGER }, /* an UPDATE */
    { BELOW, APPLY_INSERT, 2, { 0, 1, 1 }, .upserts = TRUE, .fits = TRUE },
    { BELOW, APPLY_INSERT, 2, { 1, 1, 1 }, .upserts = TRUE },
    { BELOW, APPLY_INSERT, 2, { 0, 0, 2 }, { 1, 0, 0 } },
    { BELOW, APPLY_INSERT, 2, { 0, 0, 2 }, { 0, 1, 0 } },
    { BELOW, APPLY_INSERT, 2, { 0, 0, 2 }, { 0, 0, 1 } },
    { OWN, APPLY_INSERT, 2, { 0, 0, 2 }, .fits = TRUE }, /* its name says so */
    { OWN, APPLY_INSERT, 2, { 1, 0, 2 } },
    { OWN, APPLY_INSERT, 2, { 0, 1, 2 } },
  };
  check_all (cases, G_N_ELEMENTS (cases));
}

/* A doubt about rows beside the file hides no other one, and asks for all triggers. */
static void
test_what_is_asked_about_a_doubt (void)
{
  static const struct {
    Case one;
    const char *tables, *events, *beside;
  } cases[] = {
    { { OWN, APPLY_DELETE, 2, { 3, 0, 0 } }, "{orders,orders}", "8", "f" },
    { { OWN, APPLY_UPDATE, 2, { 0, 3, 0 } }, "{orders,orders}", "16", "f" },
    { { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, { 1, 0, 0 } }, "{lines,orders}", "8", "f" },
    { { BELOW, APPLY_DELETE, 2, { 2, 0, 0 }, { 0, 1, 0 } }, "{lines,orders}", "28", "t" },
    { { BELOW, APPLY_DELETE, 2, { 1, 0, 0 }, { 0, 1, 0 } }, "{lines}", "8", "f" },
    { { BELOW, APPLY_DELETE, 2, { 1, 0, 0 } }, "{lines}", "8", "f" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    check (&cases[i].one, i);
    g_assert_cmpstr (played_bound ("effects_doubt", "tab"), ==, cases[i].tables);
    g_assert_cmpstr (played_bound ("effects_doubt", "events"), ==, cases[i].events);
    g_assert_cmpstr (played_bound ("effects_doubt", "beside"), ==, cases[i].beside);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/effects/own_delete", test_a_file_that_deletes_the_own_rows);
  g_test_add_func ("/effects/own_update", test_a_file_that_updates_the_own_rows);
  g_test_add_func ("/effects/other", test_a_file_about_another_table);
  g_test_add_func ("/effects/insert", test_a_file_that_inserts);
  g_test_add_func ("/effects/doubt", test_what_is_asked_about_a_doubt);
  return config_test_run ();
}
