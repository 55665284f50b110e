#include "engine/step/tell.h"

#include "avro/identity.h"
#include "engine/job/in_force.h"
#include "engine/ledger/keeping.h"
#include "engine/outbox/remember.h"
#include "engine/step/pace.h"

#include <string.h>

#define TYPE "pruned.outcomes." JOB_ROW_OUTCOME
#define MOST_BYTES (128u << 20) /* of a bundle: as a parameter it is twice as long */

/* --- of all rows --- */

/* What the rows of one step have in common. */
typedef struct {
  Step *step;
  const char *topic;
  char number[16];
  gboolean all, remembers; /* tells all rows; the ledger of erasures has those that have gone */
} Teller;

/* Two tables can have rows of one key, so the id is of both. */
static void
tell_one (const Teller *teller, const char *table, const char *key, const char *what,
          const char *reason)
{
  Step *step = teller->step;
  const Run *run = step->run;
  g_autofree char *entity = g_strconcat (table, ":", key, "/", what, NULL),
                  *ce_id = identity_outcome (run_known_id (run), run->step, TYPE, entity);
  const char *fields[] = { run_known_id (run),
                           teller->number,
                           step->job->name,
                           table,
                           key,
                           what,
                           reason,
                           run_event_text (run, RUN_EVENT_ID),
                           run_event_text (run, RUN_EVENT_SOURCE),
                           step->t };
  bundle_add (step->bundle, teller->topic, -1, key, TYPE, ce_id, fields);
}

/* The rows of STEP that have failed are told already. */
static gboolean
is_told_as_failed (const Step *step)
{
  const Job *job = step->job;
  return g_strcmp0 (job->failed_outcome, JOB_ROW_OUTCOME) == 0
         && (!job->failed_named || job_is_asked (job, step->run->args));
}

static void
tell_failed (const Teller *teller)
{
  const Step *step = teller->step;
  const char *own = step->job->table;
  for (guint i = 0; teller->all && !is_told_as_failed (step) && i < step->failed_items->len; i++) {
    const char *item = step->failed_items->pdata[i];
    const gsize len = own != NULL && g_str_has_prefix (item, own) && item[strlen (own)] == ':'
                          ? strlen (own)
                          : strcspn (item, ":");
    g_autofree char *table = g_strndup (item, len);
    tell_one (teller, table, item + len + 1, "failed", step->failed_reasons->pdata[i]);
  }
}

/* The answer to an event says it. */
static gboolean
is_answered (const Step *step, const char *table, const char *key)
{
  return step->answered != NULL && g_strcmp0 (step->job->table, table) == 0
         && g_hash_table_contains (step->answered, key);
}

/* The database's clock, as of now: behind the time when the row was made, and before the commit,
 * after which its key can be used anew. */
static gint64
erased_at_us (const Step *step)
{
  return step->run->now_us + step_elapsed_us (step);
}

/* The entry of a row of STEP, without table, key and what became of it. */
static RememberRow
remembered_by (const Step *step)
{
  return (RememberRow){ .prefix = step->prefix,
                        .job = step->job->name,
                        .run_id = run_known_id (step->run),
                        .t = step->t,
                        .step = step->run->step,
                        .erased_us = erased_at_us (step),
                        .days = step->job->remember_days };
}

/* Rows that the audit leaves out would go without their entries. */
static void
spoil_forgotten (Step *step)
{
  const char *why = keeping_forgets (in_force_config (), step->job);
  if (why != NULL)
    bundle_spoil (step->bundle, "remember: %s", why);
}

static void
remember_one (const Teller *teller, const char *table, const char *key)
{
  RememberRow row = remembered_by (teller->step);
  row.table = table;
  row.key = key;
  row.what = "removed";
  remember_add (teller->step->bundle, &row);
}

static void
tell_record (const Teller *teller, const PgRows *rows, int row)
{
  const char *table = rows_text (rows, row, "table_name"), *text = rows_text (rows, row, "keys"),
             *what
             = g_str_equal (rows_text (rows, row, "action"), "deleted") ? "removed" : "changed";
  g_autoptr (json_t) keys = json_parse (text, strlen (text), NULL);
  gsize i;
  json_t *key;
  json_array_foreach (keys, i, key) {
    g_autofree char *number = json_is_string (key) ? NULL : json_text (key);
    const char *written = number != NULL ? number : json_string_value (key);
    if (json_is_null (key))
      continue;
    if (teller->all && !is_answered (teller->step, table, written))
      tell_one (teller, table, written, what, NULL);
    if (teller->remembers && g_str_equal (what, "removed"))
      remember_one (teller, table, written);
  }
}

static gboolean
tell_audited (const Teller *tellers, guint n, GError **error)
{
  GString *run_ids = array_new (), *numbers = array_new ();
  for (guint i = 0; i < n; i++) {
    array_add (run_ids, run_known_id (tellers[i].step->run));
    array_add (numbers, tellers[i].number);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (run_ids));
  pg_values_take (values, "step", array_take (numbers));
  g_autoptr (PgRows) rows
      = pg_run_file (tellers->step->pg, "src/engine/step/sql/told.sql", values, error);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    tell_record (&tellers[rows_int (rows, i, "pos") - 1], rows, i);
  return rows != NULL;
}

gboolean
tell_rows (const GPtrArray *steps, GError **error)
{
  Step *first = steps->pdata[0];
  g_autofree Teller *tellers = g_new (Teller, steps->len);
  g_autofree char *topic = g_strconcat (first->prefix, ".outcomes", NULL);
  for (guint i = 0; i < steps->len; i++) {
    Step *step = steps->pdata[i];
    tellers[i]
        = (Teller){ .step = step,
                    .topic = topic,
                    .all = in_force_outcomes (step->job->name) == OUTCOMES_ALL,
                    .remembers = step->job->remember_days > 0 && step->job->sentence == NULL };
    if (tellers[i].remembers)
      spoil_forgotten (step);
    g_snprintf (tellers[i].number, sizeof tellers[i].number, "%d", step->run->step);
    tell_failed (&tellers[i]);
  }
  if (!tell_audited (tellers, steps->len, error))
    return FALSE;
  if (first->bundle->stored->len <= MOST_BYTES)
    return TRUE;
  pace_weight_is_too_much (first);
  return step_fail (first, error, PRUNED_RETRY,
                    "what is told of its rows is %u bytes, at most %u; a row with too many below"
                    " it goes in portions (children_portion)",
                    first->bundle->stored->len, MOST_BYTES);
}

/* --- of the rows of a step --- */

/* Whether rows of WHAT are told now. RowProcessed is told of a row that an event has named, unless
 * no row is told; where all are, of other rows that change later (tell_rows). */
static gboolean
is_told (const Step *step, const JobWhat *what)
{
  if (!job_answers (step->job, what, step->run->args))
    return FALSE;
  if (!g_str_equal (what->outcome, JOB_ROW_OUTCOME))
    return TRUE;
  const JobOutcomes rows = in_force_outcomes (step->job->name);
  if (rows == OUTCOMES_NONE || job_is_asked (step->job, step->run->args))
    return rows != OUTCOMES_NONE;
  return !(rows == OUTCOMES_ALL && what->apply->len > 0);
}

static void
tell (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  const gboolean told = is_told (step, what);
  for (guint i = 0; told && i < which->len; i++)
    step_outcome_row (step, what->outcome, trial->decided, g_array_index (which, int, i),
                      what->entity, what->constants);
  if (!told || !job_is_asked (step->job, step->run->args))
    return;
  if (step->answered == NULL)
    step->answered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < which->len; i++)
    g_hash_table_add (
        step->answered,
        g_strdup (rows_text (trial->decided, g_array_index (which, int, i), what->entity)));
}

void
tell_ahead (Step *step, const JobWhat *what, Trial *trial, const GArray *which)
{
  /* One that stands for others: each has its own outcomes. One without a bundle only tries. */
  if (step->many || step->bundle == NULL)
    return;
  if (trial->told == NULL) {
    trial->told = g_ptr_array_new ();
    trial->untold = bundle_mark (step->bundle);
  }
  g_ptr_array_add (trial->told, what->word);
  tell (step, what, trial, which);
}

void
tell_nothing (Step *step, Trial *trial)
{
  if (trial->told != NULL)
    bundle_cut (step->bundle, trial->untold);
  g_clear_pointer (&trial->told, g_ptr_array_unref);
}

void
tell_rest (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  if (trial->told == NULL
      || !g_ptr_array_find_with_equal_func (trial->told, what->word, g_str_equal, NULL))
    tell (step, what, trial, which);
}

void
tell_erased (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  const Job *job = step->job;
  if (job->remember_days == 0 || !what->counts_as_updated || step->bundle == NULL)
    return;
  RememberRow row = remembered_by (step);
  row.table = job->sentence->table;
  row.what = what->word;
  for (guint i = 0; i < which->len; i++) {
    row.key = rows_text (trial->decided, g_array_index (which, int, i), "key");
    remember_add (step->bundle, &row);
  }
}
