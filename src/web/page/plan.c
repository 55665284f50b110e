/* What a run of a job would do now, counted anew; and its SQL. As `pruned plan` and `pruned jobs
 * show` say, within the time that a view has. */
#include "web/page/parts.h"

#include "base/clock.h"
#include "base/words.h"
#include "engine/brakes/foresee.h"
#include "engine/job/in_force.h"
#include "engine/view/job_files.h"

#define COUNT_US (2 * G_USEC_PER_SEC)

/* The job that is asked for; NULL: it is said that there is none. */
static const Job *
job_of (Sheet *sheet)
{
  const char *name = sheet_filter (sheet, "job");
  const Job *job = name != NULL ? jobs_find_loaded (in_force_jobs (), name) : NULL;
  if (job == NULL) {
    (void)parts_missing (sheet, "This process does not have such a job.");
    return NULL;
  }
  html_open (sheet->html, HTML_H2);
  sheet_link (sheet, "job", "name", job->name);
  html_close (sheet->html);
  return job;
}

/* --- the plan --------------------------------------------------------------------------------- */

static const Column ROWS[] = { { "item" }, { "action" }, { "reason" }, { NULL } };

typedef struct {
  json_t *summary, *cells;
  guint most; /* of cells */
} Planned;

static void
visit (const char *table, const char *key, const char *action, const char *reason, gpointer data)
{
  Planned *planned = data;
  const json_int_t n = json_integer_value (json_object_get (planned->summary, action));
  json_object_set_new (planned->summary, action, json_integer (n + 1));
  if (json_array_size (planned->cells) >= planned->most)
    return;
  g_autofree char *item = g_strdup_printf ("%s:%s", table, key);
  json_array_append_new (planned->cells, json_pack ("[s, s, s?]", item, action, reason));
}

static void
show_planned (Sheet *sheet, const Planned *planned, const PlanTally *tally)
{
  g_autofree char *words = words_of_counts (planned->summary),
                  *below = words_of_counts (tally->tables);
  html_open (sheet->html, HTML_P);
  html_add (sheet->html, tally->more ? "Counted within two seconds, and there are more: " : "");
  html_add (sheet->html, words != NULL ? words : "nothing to do");
  html_add (sheet->html, below != NULL ? "; with them, by table: " : "");
  html_add (sheet->html, below);
  html_close (sheet->html);
  sheet_table (sheet, &(SheetTable){ "plan", "Rows", ROWS, json_incref (planned->cells), "None." });
}

/* What part of the rows has been counted is compared with no limit. */
static gboolean
show_held (Sheet *sheet, const Job *job, gint64 at_us, const json_t *args, const PlanTally *tally,
           gboolean known, GError **error)
{
  g_auto (BrakeFinding) finding = { 0 };
  if (tally->more)
    return TRUE;
  if (!foresee_plan (sheet->pg, job, at_us, args, tally, known, &finding, error))
    return FALSE;
  g_autofree char *says = finding.limit != NULL
                              ? g_strdup_printf ("Would be held: %s.", foresee_words (&finding))
                              : NULL;
  if (says != NULL) {
    html_open (sheet->html, HTML_P);
    sheet_state (sheet, says);
    html_close (sheet->html);
  }
  return TRUE;
}

static gboolean
show_plan (Sheet *sheet, const Job *job, GError **error)
{
  gboolean known;
  const gint64 at_us = clock_now_us ();
  g_autoptr (json_t) args = json_object (), summary = json_object (), cells = json_array ();
  Planned planned = { summary, cells, sheet->form != NULL ? SHEET_COUNT : SHEET_ROWS };
  g_auto (PlanTally) tally = { 0 };
  plan_tally_init (&tally, NULL);
  if (sheet->form == NULL) /* a list for machines is whole, or an error */
    tally.deadline_us = clock_monotonic_us () + COUNT_US;
  if (!plan_run (sheet->pg, job, at_us, args, visit, &planned, &tally, &known, error)
      || (!job_only_names_rows (job) && !show_held (sheet, job, at_us, args, &tally, known, error)))
    return FALSE;
  show_planned (sheet, &planned, &tally);
  return TRUE;
}

gboolean
view_show_plan (Sheet *sheet, GError **error)
{
  const Job *job = job_of (sheet);
  if (job == NULL)
    return TRUE;
  g_autofree char *plan = g_strdup_printf ("pruned plan %s", job->name);
  const char *const commands[] = { plan, NULL };
  const gboolean has_none = job_only_starts (job)
                            || (job->page == NULL && job->sentence == NULL
                                && (job->code == NULL || job->code->plan == NULL));
  if (has_none || job->refused != NULL)
    html_text (sheet->html, HTML_P, "The job has no plan of all its rows. The command says more:");
  else if (!show_plan (sheet, job, error))
    return FALSE;
  parts_commands (sheet, "The whole plan, and how it differs from the last one", commands);
  return TRUE;
}

/* --- the SQL ---------------------------------------------------------------------------------- */

gboolean
view_show_sql (Sheet *sheet, GError **error)
{
  const Job *job = job_of (sheet);
  g_auto (JobFiles) files = { 0 };
  if (job == NULL)
    return TRUE;
  if (!job_files_read (&files, sheet->pg, job, error))
    return FALSE;
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "files");
  if (files.refusal != NULL || files.all->len == 0)
    html_text (sheet->html, HTML_P,
               files.refusal != NULL ? files.refusal : "It has no SQL: it starts other jobs.");
  for (guint i = 0; i < files.all->len; i++) {
    const JobFile *file = files.all->pdata[i];
    html_text (sheet->html, HTML_H2, file->path);
    html_open (sheet->html, HTML_CODE);
    html_set (sheet->html, HTML_AT_CLASS, "file");
    html_add (sheet->html, file->text);
    html_close (sheet->html);
  }
  html_close (sheet->html);
  return TRUE;
}
