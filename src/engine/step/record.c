#include "engine/step/record.h"

#include "base/clock.h"
#include "base/plural.h"
#include "engine/job/in_force.h"
#include "engine/step/busy.h"
#include "engine/step/guard.h"
#include "engine/step/quarantine.h"
#include "engine/step/tell.h"
#include "engine/step/decide.h"
#include "engine/step/halves.h"

#include <string.h>

#define REFUSED "refused: the statement did not change the row (a trigger or a rule keeps it)"

typedef struct {
  const char *key, *reason;
} Failed;

/* Other names stay as they are. */
static void
append_failed (GString *text, const char *name, gconstpointer data)
{
  const Failed *failed = data;
  if (g_str_equal (name, "key"))
    g_string_append (text, failed->key);
  else if (g_str_equal (name, "error"))
    g_string_append (text, failed->reason);
  else
    g_string_append_printf (text, "{%s}", name);
}

static char *
failed_message (const Step *step, const char *key, const char *reason)
{
  const Failed failed = { key, reason };
  if (step->job->failed_log == NULL)
    return g_strdup_printf ("%s:%s cannot be removed - %s", step->job->table, key, reason);
  return job_fill_template (step->job->failed_log, append_failed, &failed);
}

/* What context.sql of a job says of rows, for the log lines about single ones: user and place. A
 * row of which it cannot be read, such as a text that is no UTF-8 in a database that does not check
 * that, has lines without it. */
static PgRows *
ask_context (Step *step, const GPtrArray *keys, gconstpointer data, GError **error)
{
  const PgStatement *statement = data;
  g_autoptr (PgValues) values = trial_values (step, statement, NULL);
  pg_values_take (values, "key", array_of_texts (keys));
  g_autoptr (PgRows) rows = pg_run (step->pg, statement, values, error);
  return rows != NULL && guard_columns (statement, rows, "key", error) ? g_steal_pointer (&rows)
                                                                       : NULL;
}

static gboolean
context_ask (Step *step, const GPtrArray *keys, Halves *context, GError **error)
{
  return step->job->context == NULL
         || halves_ask (step, keys, ask_context, step->job->context, context, error);
}

/* Adds row I to FIELDS. */
static void
add_row (json_t *fields, const PgRows *rows, int i)
{
  for (int column = 0; column < rows_columns (rows); column++)
    if (!g_str_equal (rows_name (rows, column), "key") && rows_at (rows, i, column) != NULL)
      json_object_set_new (fields, rows_name (rows, column),
                           json_string (rows_at (rows, i, column)));
}

/* The fields of the row KEY. New reference. */
static json_t *
context_fields (const Halves *context, const char *key)
{
  json_t *fields = json_object ();
  for (guint part = 0; context->answers != NULL && part < context->answers->len; part++) {
    const PgRows *rows = context->answers->pdata[part];
    for (int i = 0; i < rows_count (rows); i++)
      if (g_strcmp0 (rows_text (rows, i, "key"), key) == 0)
        add_row (fields, rows, i);
  }
  return fields;
}

static PgRows *
decide_again (Step *step, const GPtrArray *keys, gconstpointer extra, GError **error)
{
  return decide_keys (step, keys, "{}", extra, error);
}

/* The outcome of a row that failed says what is known of it now. Of one that cannot even be decided
 * about nothing is, and its log line is all there is. */
static gboolean
announce_failed (Step *step, const GPtrArray *keys, const GPtrArray *reasons, const Extra *extra,
                 GError **error)
{
  const Job *job = step->job;
  g_auto (Halves) decided = { 0 };
  if (job->failed_named) {
    for (guint i = 0; job_is_asked (step->job, step->run->args) && i < keys->len; i++)
      quarantine_announce (step, keys->pdata[i], "failed", reasons->pdata[i]);
    return TRUE;
  }
  if (job->failed_outcome == NULL)
    return TRUE;
  if (!halves_ask (step, keys, decide_again, extra, &decided, error))
    return FALSE;
  for (guint part = 0; part < decided.answers->len; part++) {
    const PgRows *rows = decided.answers->pdata[part];
    for (int i = 0; i < rows_count (rows); i++)
      if (!g_str_equal (rows_text (rows, i, "what"),
                        "gone")) /* removed by another transaction meanwhile */
        step_outcome_row (step, job->failed_outcome, rows, i, "key", job->failed_constants);
  }
  return TRUE;
}

gboolean
record_failed (Step *step, const GPtrArray *keys, const GPtrArray *reasons, const Extra *extra,
               GError **error)
{
  if (keys->len == 0)
    return TRUE;
  if (!announce_failed (step, keys, reasons, extra, error))
    return FALSE;
  step_count (step, "failed", keys->len);
  if (step->job->failed_counter != NULL)
    step_count (step, step->job->failed_counter, keys->len);
  g_auto (Halves) context = { 0 };
  if (!context_ask (step, keys, &context, error))
    return FALSE;
  for (guint i = 0; i < keys->len; i++) {
    g_autofree char *item = job_item (step->job, keys->pdata[i]);
    g_autofree char *message = failed_message (step, keys->pdata[i], reasons->pdata[i]);
    step_quarantine (step, item, reasons->pdata[i], in_force_of (step->job)->item_attempts);
    json_t *fields = context_fields (&context, keys->pdata[i]);
    json_object_set_new (fields, "error", json_string (reasons->pdata[i]));
    step_log (step, LOG_ERROR, message, fields);
  }
  if (!g_str_equal (config_text (in_force_config (), "run", "environment"), "development"))
    return TRUE;
  step_write_logs (
      step); /* the lines about rows come before the one about the step, which fails as well */
  g_array_set_size (step->logs, 0);
  return step_fail (step, error, PRUNED_RETRY,
                    "%u %s failed, and [run] environment is development; the first: %s", keys->len,
                    plural (keys->len, "row", "rows"), (char *)reasons->pdata[0]);
}

typedef struct {
  const PgRows *rows;
  int row;
} RowAt;

static void
append_column (GString *text, const char *name, gconstpointer data)
{
  const RowAt *at = data;
  const char *value = rows_at (at->rows, at->row, rows_column (at->rows, name));
  g_string_append (text, value != NULL ? value : "");
}

/* `{column}` of the row in a message. */
static char *
message_of (const char *template, const PgRows *rows, int row)
{
  const RowAt at = { rows, row };
  return job_fill_template (template, append_column, &at);
}

static void
add_field (json_t *fields, const PgRows *rows, int row, const char *name)
{
  const char *text = rows_at (rows, row, rows_column (rows, name));
  if (text != NULL)
    json_object_set_new (fields, name,
                         rows_is_integer (rows, rows_column (rows, name))
                             ? json_integer (rows_int (rows, row, name))
                             : json_string (text));
}

static gboolean
log_rows (Step *step, const JobWhat *what, const Trial *trial, const GArray *which, GError **error)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  for (guint i = 0; i < which->len; i++)
    g_ptr_array_add (keys,
                     (gpointer)rows_text (trial->decided, g_array_index (which, int, i), "key"));
  g_auto (Halves) context = { 0 };
  if (!context_ask (step, keys, &context, error))
    return FALSE;
  for (guint i = 0; i < which->len; i++) {
    int row = g_array_index (which, int, i);
    json_t *fields = context_fields (&context, rows_text (trial->decided, row, "key"));
    for (guint f = 0; what->log_fields[f] != NULL; f++)
      add_field (fields, trial->decided, row, what->log_fields[f]);
    g_autofree char *message = message_of (what->log, trial->decided, row);
    step_log (step, what->log_level, message, fields);
  }
  return TRUE;
}

/* The reasons of rows that were decided as WHAT. */
static void
note_kept (Step *step, const JobWhat *what, const Trial *trial, const GArray *which)
{
  if (!g_str_equal (what->counter, "kept") || rows_column (trial->decided, "reason") < 0)
    return;
  for (guint i = 0; i < which->len; i++) {
    const char *reason = rows_text (trial->decided, g_array_index (which, int, i), "reason");
    if (reason != NULL)
      quarantine_kept (step, reason);
  }
}

static gboolean
record_what (Step *step, const char *word, const Trial *trial, GError **error)
{
  const JobWhat *what = job_what (step_form (step), word);
  g_autoptr (GArray) which = trial_rows (trial, word);
  if (job_only_looked (step_form (step), word))
    return TRUE;
  step_count (step, what != NULL ? what->counter : word, which->len);
  if (what == NULL || which->len == 0)
    return TRUE;
  note_kept (step, what, trial, which);
  if (what->counts_as_updated)
    step_add_count (step->counts, "updated_rows", which->len);
  if (what->apply->len > 0 && !what->stays)
    step_add_rows (step, which->len, 0, 0);
  if (job_answers (step->job, what, step->run->args))
    tell_rest (step, what, trial, which);
  if (step->job->sentence != NULL)
    tell_erased (step, what, trial, which);
  return what->log == NULL || log_rows (step, what, trial, which, error);
}

/* `2026-11-21 10:20:30.5+00`, as PostgreSQL writes it in UTC. */
static gboolean
read_time (const char *text, gint64 *us, GError **error)
{
  gsize len = strcspn (text, "+");
  g_autofree char *rfc = g_strdup_printf ("%.*s%s", (int)len, text,
                                          g_str_equal (text + len, "+00") ? "Z" : text + len);
  if (strlen (rfc) > 10)
    rfc[10] = 'T';
  if (clock_parse (rfc, us, error))
    return TRUE;
  (*error)->code = PRUNED_RETRY;
  g_prefix_error (error, "children.sql: due_at: ");
  return FALSE;
}

static gboolean
record_children (Step *step, const PgRows *children, GError **error)
{
  if (children == NULL)
    return TRUE;
  if (!guard_whole (step->job->children, children, "job args child_key", error)
      || !guard_columns (step->job->children, children, "unique_key due_at", error))
    return FALSE;
  for (int i = 0; i < rows_count (children); i++) {
    gint64 due_at = 0;
    guint before = step->children->len;
    const char *args = rows_text (children, i, "args"), *due = rows_text (children, i, "due_at");
    const char *context
        = rows_column (children, "context") >= 0 ? rows_text (children, i, "context") : NULL;
    if (due != NULL && !read_time (due, &due_at, error))
      return FALSE;
    step_child (step, rows_text (children, i, "job"), json_parse_exact (args, strlen (args), NULL),
                rows_text (children, i, "child_key"), rows_text (children, i, "unique_key"), 0);
    if (step->children->len == before) /* it was refused: steps_settle fails with the reason */
      continue;
    RunSpec *child = &g_array_index (step->children, RunSpec, before);
    child->due_at_us = due_at;
    if (context == NULL)
      continue;
    g_clear_pointer (&child->context, json_decref);
    child->context = json_parse_exact (context, strlen (context), NULL);
  }
  return TRUE;
}

/* A run about a single row (an event's) says in its result why the row stays. */
static void
tell_reason (Step *step, const Trial *trial)
{
  const PgRows *rows = trial->decided;
  const gboolean one = rows_count (rows) == 1 && rows_column (rows, "reason") >= 0;
  const char *reason = one ? rows_text (rows, 0, "reason") : NULL;
  if (reason != NULL && page_is_named (step->run))
    step_reason (step, reason);
}

gboolean
record_trial (Step *step, const GPtrArray *keys, const Trial *trial, const Extra *extra,
              GHashTable *known, GError **error)
{
  g_autoptr (GPtrArray) failed = g_ptr_array_new (), reasons = g_ptr_array_new ();
  g_autoptr (GHashTable) words = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < keys->len; i++) {
    const BisectBad *bad = g_hash_table_lookup (step->bisect->bad, keys->pdata[i]);
    if (bad == NULL)
      continue;
    if (bisect_is_busy (bad)) {
      busy_pass_over (step, keys->pdata[i], bad->reason);
      continue;
    }
    if (bisect_is_held (bad)) {
      quarantine_held (step, keys->pdata[i], bad, known);
      continue;
    }
    g_ptr_array_add (failed, keys->pdata[i]);
    g_ptr_array_add (reasons, bad->reason);
  }
  for (int i = 0; i < rows_count (trial->decided); i++) {
    const char *key = rows_text (trial->decided, i, "key");
    if (g_str_equal (trial->what[i], "failed")) {
      g_ptr_array_add (failed, (gpointer)key);
      g_ptr_array_add (reasons, (gpointer)REFUSED);
    } else if (g_hash_table_contains (known, key)) {
      g_autofree char *item = job_item (step->job, key);
      step_unquarantine (step, item);
    }
    if (!g_str_equal (trial->what[i], "failed"))
      g_hash_table_add (words, (gpointer)trial->what[i]);
  }
  GHashTableIter iter;
  gpointer word;
  g_hash_table_iter_init (&iter, words);
  while (g_hash_table_iter_next (&iter, &word, NULL))
    if (!record_what (step, word, trial, error))
      return FALSE;
  tell_reason (step, trial);
  step_add_rows (step, 0, trial->below + trial->effects.beside.changed, trial->own_below);
  step_add_counts (step->counts, trial->effects.beside.counts);
  if (trial->own_below > 0)
    step_add_count (step->counts, "below", trial->own_below);
  return record_children (step, trial->children, error)
         && record_failed (step, failed, reasons, extra, error);
}
