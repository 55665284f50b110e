/* An INSERT that does nothing on a conflict does not report which row it met. So the losers are
 * looked up: known ones are duplicates; the others meet the holder of their unique key
 * (place_holders.c) and are inserted again.
 *
 * Inserted runs are checked once more (place_archived.sql): the archive can have taken the run
 * during the INSERT.
 */
#include "engine/ledger/place.h"

#include "avro/identity.h"
#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/ledger/journal.h"
#include "engine/ledger/named_row.h"
#include "engine/ledger/place_holders.h"
#include "engine/outbox/publish.h"

#define SQL "src/engine/ledger/sql/"
#define ROUNDS 8
#define RECORD "RunFinished"

static void
run_spec_clear (gpointer data)
{
  RunSpec *spec = data;
  g_clear_pointer (&spec->args, json_decref);
  g_clear_pointer (&spec->context, json_decref);
  g_free (spec->run_id);
  g_free (spec->parent_id);
  g_free (spec->unique_key);
  g_free (spec->named_table);
  g_free (spec->error);
}

GArray *
run_specs_new (void)
{
  GArray *specs = g_array_new (FALSE, TRUE, sizeof (RunSpec));
  g_array_set_clear_func (specs, run_spec_clear);
  return specs;
}

static void
add_time (GString *array, gint64 us)
{
  g_autofree char *text = us != 0 ? clock_format (us) : NULL;
  array_add (array, text);
}

/* The arrays of place.sql. */
enum {
  ID,
  PARENT,
  AT,
  DUE,
  DELAY,
  STATE,
  JOB,
  SLOT,
  KEY,
  LATE,
  ARGS,
  CONTEXT,
  NAMED,
  ATTEMPTS,
  ERROR,
  N
};
static const char *const NAMES[N]
    = { "run_id", "parent_id", "scheduled_at", "due_at",     "delay_ms",
        "state",  "job",       "slot",         "unique_key", "late_key",
        "args",   "context",   "named_table",  "attempts",   "error" };

static void
add_spec (GString **arrays, const RunSpec *spec)
{
  g_autofree char *args = json_text (spec->args);
  g_autofree char *context = spec->context != NULL ? json_text (spec->context) : NULL;
  array_add (arrays[ID], spec->run_id);
  array_add (arrays[PARENT], spec->parent_id);
  add_time (arrays[AT], spec->scheduled_at_us);
  add_time (arrays[DUE], spec->due_at_us);
  array_add_int (arrays[DELAY], spec->delay_ms);
  /* A refused job has no lane: its timers and events wait, as all runs do while a job is off. */
  gboolean waits = spec->job->refused != NULL || !in_force_is_on (spec->job);
  array_add (arrays[STATE], waits && spec->state == NULL ? "waiting" : spec->state);
  array_add (arrays[JOB], spec->job->name);
  array_add_int (arrays[SLOT], job_slot (spec->job, spec->run_id, spec->args));
  array_add (arrays[KEY], spec->unique_key);
  array_add (arrays[LATE], spec->late_key ? "t" : "f");
  array_add (arrays[ARGS], args);
  array_add (arrays[CONTEXT], context);
  array_add (arrays[NAMED], spec->named_table);
  array_add_int (arrays[ATTEMPTS], spec->attempts);
  array_add (arrays[ERROR], spec->error);
}

/* The specs that are not placed yet; WHICH maps rows to specs. */
static PgValues *
values_of (const GArray *specs, GArray *which)
{
  GString *arrays[N];
  for (int i = 0; i < N; i++)
    arrays[i] = array_new ();
  for (guint i = 0; i < specs->len; i++) {
    const RunSpec *spec = &g_array_index (specs, RunSpec, i);
    if (spec->placed != PLACED_NOT)
      continue;
    add_spec (arrays, spec);
    g_array_append_val (which, i);
  }
  PgValues *values = pg_values_new ();
  for (int i = 0; i < N; i++)
    pg_values_take (values, NAMES[i], array_take (arrays[i]));
  return values;
}

static Placed
placed_by_state (const char *state)
{
  if (g_str_equal (state, "ready"))
    return PLACED_READY;
  return g_str_equal (state, "waiting") ? PLACED_WAITING : PLACED_SKIPPED;
}

/* Marks the inserted specs. If an id is in the batch twice, the first is inserted and the second
 * known. */
static void
mark_inserted (GArray *specs, const GArray *which, const PgRows *rows)
{
  g_autoptr (GHashTable) inserted = rows_index (rows, "run_id");
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = &g_array_index (specs, RunSpec, g_array_index (which, guint, i));
    int row = GPOINTER_TO_INT (g_hash_table_lookup (inserted, spec->run_id)) - 1;
    if (row < 0)
      continue;
    spec->placed = placed_by_state (rows_text (rows, row, "state"));
    spec->placed_due_us = rows_int (rows, row, "due_at");
    g_hash_table_insert (inserted, spec->run_id, NULL);
  }
}

/* Inserted runs that the archive took meanwhile are removed again, and known. */
static gboolean
take_back (Pg *pg, GArray *specs, const GArray *which, GError **error)
{
  GString *ids = array_new (), *times = array_new (), *children = array_new ();
  g_autoptr (GHashTable) inserted = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < which->len; i++) {
    RunSpec *spec = &g_array_index (specs, RunSpec, g_array_index (which, guint, i));
    if (spec->placed == PLACED_NOT)
      continue;
    array_add (ids, spec->run_id);
    add_time (times, spec->scheduled_at_us);
    array_add (children, spec->parent_id != NULL ? "t" : "f");
    g_hash_table_insert (inserted, spec->run_id, spec);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "scheduled_at", array_take (times));
  pg_values_take (values, "child", array_take (children));
  g_autoptr (PgRows) rows = g_hash_table_size (inserted) > 0
                                ? pg_run_file (pg, SQL "place_archived.sql", values, error)
                                : NULL;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++)
    ((RunSpec *)g_hash_table_lookup (inserted, rows_text (rows, i, "run_id")))->placed
        = PLACED_KNOWN;
  return rows != NULL || g_hash_table_size (inserted) == 0;
}

static gboolean
insert (Pg *pg, GArray *specs, GError **error)
{
  g_autoptr (GArray) which = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (PgValues) values = values_of (specs, which);
  if (which->len == 0)
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "place.sql", values, error);
  if (rows == NULL)
    return FALSE;
  mark_inserted (specs, which, rows);
  return take_back (pg, specs, which, error);
}

/* Lists the losers, each with the id of the holder or NULL. Marks known ones. */
static gboolean
find_losers (Pg *pg, GArray *specs, GPtrArray *holders, GArray *losers, GError **error)
{
  g_autoptr (GArray) which = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (PgValues) values = values_of (specs, which);
  if (which->len == 0)
    return TRUE;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "place_lost.sql", values, error);
  if (rows == NULL)
    return FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    guint index = g_array_index (which, guint, rows_int (rows, i, "ord") - 1);
    if (rows_bool (rows, i, "known"))
      g_array_index (specs, RunSpec, index).placed = PLACED_KNOWN;
    else {
      g_array_append_val (losers, index);
      g_ptr_array_add (holders, g_strdup (rows_text (rows, i, "holder")));
    }
  }
  return TRUE;
}

/* What follows from new runs that end at once, because their jobs are refused or disabled, or their
 * events withdrawn. */

/* A refused job has no lane: the outcome is left to that of another job. */
static gboolean
leave_outcome (Pg *pg, const RunSpec *spec, GError **error)
{
  const Jobs *jobs = in_force_jobs ();
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  if (jobs_count (jobs) == 0)
    return TRUE;
  g_autofree char *topic = g_strconcat (prefix, ".outcomes", NULL);
  g_autofree char *ce_id = identity_outcome (spec->run_id, 0, RECORD, spec->run_id);
  g_autoptr (json_t) result = json_pack ("{s:s, s:s}", "status", "blocked", "reason", spec->error);
  g_autofree char *text = json_text (result);
  g_autoptr (Bundle) bundle = bundle_new (spec->run_id, JOURNAL_STEP, jobs_at (jobs, 0)->name, 0);
  const char *fields[] = { spec->run_id, "0", spec->job->name, spec->state, text, spec->error };
  bundle_add (bundle, topic, -1, spec->run_id, "pruned.outcomes." RECORD, ce_id, fields);
  return publish_leave (pg, bundle, error);
}

/* The event of a disabled job came because another job reads its topic. */
static gboolean
leave_answer (Pg *pg, const RunSpec *spec, GError **error)
{
  const char *prefix = config_text (in_force_config (), "topics", "prefix");
  const Run run = { .run_id = spec->run_id,
                    .job = spec->job,
                    .scheduled_at_us = spec->scheduled_at_us,
                    .args = spec->args,
                    .context = spec->context };
  const NamedEnd disabled = { PLACE_DISABLED, "failed", PLACE_DISABLED };
  return named_row_leave (pg, &run, prefix, spec->withdrawn ? named_row_withdrawn : disabled,
                          error);
}

/* In the open transaction that has inserted them: their outcomes, and a note so that those of
 * refused jobs are tried again once their jobs are loaded (clock/blocked.h). */
static gboolean
place_refused (Pg *pg, const GArray *specs, GError **error)
{
  GString *ids = array_new ();
  gboolean any = FALSE, ok = TRUE;
  for (guint i = 0; ok && i < specs->len; i++) {
    const RunSpec *spec = &g_array_index (specs, RunSpec, i);
    if (spec->placed == PLACED_SKIPPED
        && (spec->withdrawn || g_strcmp0 (spec->error, PLACE_DISABLED) == 0))
      ok = leave_answer (pg, spec, error);
    if (spec->placed != PLACED_SKIPPED || g_strcmp0 (spec->state, "finished") != 0)
      continue;
    array_add (ids, spec->run_id);
    any = TRUE;
    ok = leave_outcome (pg, spec, error);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  if (!any || !ok)
    return ok;
  g_autoptr (PgRows) rows = pg_run_file (pg, SQL "place_refused.sql", values, error);
  return rows != NULL;
}

gboolean
place_runs (Pg *pg, GArray *specs, gboolean as_children, GError **error)
{
  for (int round = 0; round < ROUNDS; round++) {
    if (!insert (pg, specs, error))
      return FALSE;
    g_autoptr (GArray) losers = g_array_new (FALSE, FALSE, sizeof (guint));
    g_autoptr (GPtrArray) holders = g_ptr_array_new_with_free_func (g_free);
    if (!find_losers (pg, specs, holders, losers, error))
      return FALSE;
    if (losers->len == 0)
      return place_refused (pg, specs, error);
    if (!(as_children ? place_yield_to_holders : place_meet_holders) (pg, specs, losers, holders,
                                                                      error))
      return FALSE;
  }
  return error_set (error, PRUNED_BUSY, "the unique key of a new run changes its holder too often");
}

gboolean
place_any_waiting (const GArray *specs)
{
  for (guint i = 0; i < specs->len; i++)
    if (g_array_index (specs, RunSpec, i).placed == PLACED_WAITING)
      return TRUE;
  return FALSE;
}

void
place_add_work (Bundle *bundle, const GArray *specs)
{
  for (guint i = 0; i < specs->len; i++) {
    RunSpec *spec = &g_array_index (specs, RunSpec, i);
    if (spec->placed != PLACED_READY)
      continue;
    Run run = { .run_id = spec->run_id,
                .job = spec->job,
                .attempts = spec->attempts,
                .slot = job_slot (spec->job, spec->run_id, spec->args),
                .scheduled_at_us = spec->scheduled_at_us,
                .due_at_us = spec->placed_due_us != 0 ? spec->placed_due_us : spec->due_at_us,
                .args = spec->args };
    run_add_work (bundle, &run);
  }
}
