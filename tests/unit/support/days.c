#include "support/days.h"

#include "engine/step/find.h"

#define LANES 4

DayAllowance days_allowance;

static StepScene *scene;
static GPtrArray *steps;

/* What a process was given is kept by the job's name. */
StepScene *
days_begin (const char *settings, gboolean again)
{
  static char process[32];
  static guint processes;
  scene = steps_begin (settings, NULL);
  processes += !again;
  g_snprintf (process, sizeof process, "process %u", processes);
  scene->job.name = process;
  atomic_store (&scene->job.partitions, LANES);
  steps = g_ptr_array_new ();
  g_ptr_array_add (steps, scene->step);
  return scene;
}

void
days_end (void)
{
  day_allowance_clear (&days_allowance);
  g_ptr_array_unref (steps);
  steps_end ();
}

static char *
with_row (const char *columns, const char *row)
{
  return g_strconcat (columns, row != NULL ? "\n" : NULL, row, NULL);
}

void
days_answer (const char *sum, const char *label, const char *given)
{
  g_autofree char *day = with_row ("rows", sum), *holds = with_row ("label", label),
                  *gives = with_row ("label|portion|age_us", given);
  played_begin ();
  scene->step->pg = played_pg ();
  played_answer ("day", day);
  played_answer ("day_label", holds);
  played_answer ("day_give", gives);
}

void
days_answer_count (const char *sum, const char *label, gint64 portion)
{
  g_autofree char *row = g_strdup_printf ("%s|%" G_GINT64_FORMAT "|0", label, portion),
                  *counted = with_row ("label|portion|age_us", row);
  days_answer (sum, NULL, NULL);
  played_answer ("day_counted", counted);
}

gboolean
days_take (gint64 rows, GError **error)
{
  Step *step = scene->step;
  step->rows = rows;
  step->again = FALSE;
  step->brake = BRAKE_NONE;
  day_allowance_clear (&days_allowance);
  days_allowance = (DayAllowance){ 0 };
  find_decide (step);
  return day_take (steps, &days_allowance, error);
}

void
days_takes (gint64 rows, const char *asked)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (days_take (rows, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (played_asked (), ==, asked);
  g_assert_false (scene->step->again);
  g_assert_cmpint (scene->step->brake, ==, BRAKE_NONE);
}

void
days_refuses (gint64 rows, const char *asked, gboolean again, StepBrake brake)
{
  g_autoptr (GError) error = NULL;
  g_assert_false (days_take (rows, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_BUSY);
  g_assert_cmpstr (played_asked (), ==, asked);
  g_assert_cmpint (scene->step->again, ==, again);
  g_assert_cmpint (scene->step->brake, ==, brake);
}
