#include "cli/restore/restore.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"
#include "engine/ledger/run.h"
#include "engine/outbox/publish.h"
#include "engine/outbox/remember.h"

#include <string.h>

#define TYPE "pruned.outcomes." JOB_ROW_OUTCOME

/* What the rows of one step have in common. All is borrowed. */
typedef struct {
  const RestoreStep *step;
  Bundle *bundle;
  const char *topic, *job, *t, *reason;
  const Run *run;
} Told;

/* The same row can come back several times, so the id is of this time. */
static void
tell_line (const Told *told, const Line *line)
{
  g_autofree char *ce_id = g_uuid_string_random ();
  const char *fields[] = { told->step->run_id,
                           told->step->step,
                           told->job,
                           line->table,
                           line->key,
                           "restored",
                           told->reason,
                           run_event_text (told->run, RUN_EVENT_ID),
                           run_event_text (told->run, RUN_EVENT_SOURCE),
                           told->t };
  bundle_add (told->bundle, told->topic, -1, line->key, TYPE, ce_id, fields);
}

/* The table of a record is TABLE, with its schema or without. */
static gboolean
is_table (const char *recorded, const char *table)
{
  const char *a = strrchr (recorded, '.'), *b = strrchr (table, '.');
  return (a == NULL) == (b == NULL)
             ? g_str_equal (recorded, table)
             : g_str_equal (a != NULL ? a + 1 : recorded, b != NULL ? b + 1 : table);
}

/* What is back is no longer erased: no `pruned reapply` takes it again. */
static gboolean
remember_lines (Restore *restore, const Told *told, guint from, GError **error)
{
  const Job *job = jobs_find (restore->cli->jobs, told->job);
  if (job == NULL || job->remember_days == 0)
    return TRUE;
  RememberRow row = { .prefix = config_text (restore->cli->config, "topics", "prefix"),
                      .job = told->job,
                      .table = job->sentence != NULL ? job->sentence->table : NULL,
                      .what = REMEMBER_RESTORED,
                      .run_id = told->step->run_id,
                      .t = told->t,
                      .days = job->remember_days };
  if (!pg_now_us (restore->pg, &row.erased_us, error))
    return FALSE;
  for (guint i = from; i < restore->lines->len; i++) {
    const Line *line = restore->lines->pdata[i];
    if (line->told != told->step
        || (job->sentence != NULL && !is_table (line->table, job->sentence->table)))
      continue;
    row.key = line->key;
    if (job->sentence == NULL)
      row.table = line->table;
    remember_add (told->bundle, &row);
  }
  return TRUE;
}

/* The lines of STEP, from FROM on. */
static gboolean
tell_step (Restore *restore, const RestoreStep *step, guint from, GError **error)
{
  const char *job = step->job_name, *said = rows_text (restore->found, step->run, "context");
  const gboolean all = in_force_outcomes (job) == OUTCOMES_ALL;
  const char *prefix = config_text (restore->cli->config, "topics", "prefix");
  g_autofree char *id = g_uuid_string_random (), *topic = g_strconcat (prefix, ".outcomes", NULL),
                  *t = clock_format (rows_int (restore->found, step->run, "scheduled_at"));
  g_autoptr (json_t) context = said != NULL ? json_parse_exact (said, strlen (said), NULL) : NULL;
  const Run run = { .context = context };
  g_autoptr (Bundle) bundle = bundle_new (id, RESTORED_STEP, job, 0);
  const Told told = { step, bundle, topic, job, t, restore->reason, &run };
  for (guint i = from; i < restore->lines->len; i++) {
    const Line *line = restore->lines->pdata[i];
    if (line->told == step && all)
      tell_line (&told, line);
  }
  if (!remember_lines (restore, &told, from, error))
    return FALSE;
  return bundle_size (bundle) == 0 || publish_leave (restore->pg, bundle, error);
}

gboolean
restore_tell (Restore *restore, GError **error)
{
  g_autoptr (GHashTable) done = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < restore->lines->len; i++) {
    const RestoreStep *step = ((const Line *)restore->lines->pdata[i])->told;
    if (step != NULL && g_hash_table_add (done, (gpointer)step)
        && !tell_step (restore, step, i, error))
      return FALSE;
  }
  return TRUE;
}
