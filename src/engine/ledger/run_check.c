#include "engine/ledger/run_check.h"

#include "engine/job/arguments.h"

#include <string.h>

/* It has the columns by which events of its job name rows, no more and no fewer. */
static gboolean
has_columns (const Run *run)
{
  const json_t *rows = json_object_get (run->args, JOB_EVENT_ROWS);
  char **by = run->job->sentence != NULL ? run->job->sentence->by : NULL;
  gboolean ok = json_object_size (rows) == (by != NULL ? g_strv_length (by) : 0);
  for (; ok && by != NULL && *by != NULL; by++)
    ok = json_is_string (json_object_get (rows, *by));
  return ok;
}

/* A run about one row must not become one about the rows of a page, nor one about a row of another
 * table. */
static char *
event_refusal (const Run *run)
{
  const char *table = run->named_table;
  const gboolean known
      = table != NULL && *table != '\0'; /* else its job was refused, or is a child */
  if (job_event_of (run->job, run->args) != NULL && has_columns (run)
      && (!known || g_strcmp0 (run->job->table, table) == 0))
    return NULL;
  return g_strdup_printf ("job %s reads no event any more that names a row of %s", run->job->name,
                          known ? table : "a table");
}

/* A child of a sentence can be about one row as well; what the files of a folder make of arguments
 * is theirs. */
static gboolean
is_of_row (const Run *run)
{
  return run->named_table != NULL
         || (run->parent_id != NULL && run->job->sentence != NULL
             && (json_object_get (run->args, JOB_EVENT_KEY) != NULL
                 || json_object_get (run->args, JOB_EVENT_ROWS) != NULL));
}

/* An event of the program may have begun it: the event's fields are the arguments. */
static gboolean
may_be_of_event (const Job *job)
{
  gboolean any = job->by_event && !job_names_rows (job);
  for (guint i = 0; i < job->events->len; i++)
    any = any || ((const JobEvent *)job->events->pdata[i])->own == NULL;
  return any;
}

/* As when intake reads a tick. */
static char *
tick_refusal (const Run *run)
{
  if (may_be_of_event (run->job))
    return NULL;
  char *reason = job_ticks_refusal (run->job);
  g_autofree char *text = json_text (run->args);
  return reason != NULL ? reason : arguments_refusal (run->job, run->args, strlen (text));
}

void
run_check_asked (Run *run)
{
  if (run->wrong != NULL || run->job->built_in)
    return;
  if (is_of_row (run))
    run->wrong = event_refusal (run);
  else if (run->first && run->parent_id == NULL && job_event_of (run->job, run->args) == NULL)
    run->wrong = tick_refusal (run);
}
