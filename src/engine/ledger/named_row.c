#include "engine/ledger/named_row.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/ledger/admit_own_args.h"
#include "engine/ledger/erasure_end.h"
#include "engine/ledger/journal.h"
#include "engine/outbox/publish.h"

#include <string.h>

#define RECORD "RowProcessed"

const NamedEnd named_row_withdrawn = { "withdrawn", "kept", "withdrawn" };

/* Of rows that were named by columns, these and their values, an object. g_free it. */
static char *
key_of (const Run *run)
{
  const JobEvent *event = job_event_of (run->job, run->args);
  const gboolean is_named = run->named_table != NULL || (event != NULL && event->own != NULL);
  return is_named ? admit_own_named (run->args) : NULL;
}

/* The same of an erasure. */
static void
tell_erasure (Bundle *bundle, const Run *run, const char *prefix, NamedEnd end)
{
  const gboolean failed = g_str_equal (end.what, "failed"),
                 withdrawn = end.how != NULL && g_str_equal (end.how, named_row_withdrawn.how);
  const ErasureEnd told = { .how = end.how,
                            .what = failed      ? ERASURE_FAILED
                                    : withdrawn ? ERASURE_WITHDRAWN
                                                : ERASURE_PLANNED,
                            .reason = failed ? end.reason : NULL };
  erasure_end_tell (bundle, run, prefix, &told);
}

void
named_row_tell (Bundle *bundle, const Run *run, const char *prefix, NamedEnd end)
{
  if (erasure_end_is_of (run)) {
    tell_erasure (bundle, run, prefix, end);
    return;
  }
  g_autofree char *key = key_of (run);
  if (key == NULL || in_force_outcomes (run->job->name) == OUTCOMES_NONE)
    return;
  g_autofree char *t = run->scheduled_at_us != 0 ? clock_format (run->scheduled_at_us) : NULL;
  g_autofree char *topic = g_strconcat (prefix, ".outcomes", NULL),
                  *step = g_strdup_printf ("%d", run->step),
                  *entity = g_strconcat (key, end.how != NULL ? "/" : NULL, end.how, NULL),
                  *ce_id = identity_outcome (run->run_id, run->step, RECORD, entity);
  const gboolean known = run->named_table != NULL && *run->named_table != '\0';
  const char *table = known                     ? run->named_table
                      : run->job->table != NULL ? run->job->table
                                                : ""; /* its job is refused */
  const char *fields[] = { run->run_id,
                           step,
                           run->job->name,
                           table,
                           key,
                           end.what,
                           end.reason,
                           run_event_text (run, RUN_EVENT_ID),
                           run_event_text (run, RUN_EVENT_SOURCE),
                           t };
  bundle_add (bundle, topic, -1, key, "pruned.outcomes." RECORD, ce_id, fields);
}

gboolean
named_row_leave (Pg *pg, const Run *run, const char *prefix, NamedEnd end, GError **error)
{
  g_autoptr (Bundle) bundle = bundle_new (run->run_id, JOURNAL_STEP, run->job->name, 0);
  named_row_tell (bundle, run, prefix, end);
  return bundle_size (bundle) == 0 || publish_leave (pg, bundle, error);
}

gboolean
named_row_leave_of (Pg *pg, const Jobs *jobs, const PgRows *rows, int row, const char *prefix,
                    NamedEnd end, GError **error)
{
  const char *name = rows_text (rows, row, "job"), *text = rows_text (rows, row, "args");
  const Job *job = jobs_asked (jobs, name);
  g_autoptr (Job) away = job_of_name (name, 1); /* nothing need be written about it any more */
  const char *said = rows_text (rows, row, "context");
  g_autoptr (json_t) args = json_parse_exact (text, strlen (text), NULL),
                     context = said != NULL ? json_parse_exact (said, strlen (said), NULL) : NULL;
  const Run run = { .run_id = (char *)rows_text (rows, row, "run_id"),
                    .job = job != NULL ? job : away,
                    .step = (int)rows_int (rows, row, "step"),
                    .scheduled_at_us = rows_int (rows, row, "scheduled_at"),
                    .named_table = (char *)rows_text (rows, row, "named_table"),
                    .context = context,
                    .args = args };
  return named_row_leave (pg, &run, prefix, end, error);
}
