#include "engine/ledger/replay.h"

#include "base/clock.h"
#include "base/log.h"
#include "engine/ledger/timer.h"

#define SQL "src/engine/ledger/sql/"

/* One result, not reported yet. */
typedef struct {
  const KafkaMessage *message;
  char *run_id; /* NULL: the message asks for no run */
  const Job *job;
  int spec; /* index in `specs`; -1: nothing to place, the result is known: */
  ReplayStatus status;
  char *reason;
} Line;

typedef struct {
  Replay *replay;
  GArray *lines; /* of Line */
  GArray *specs; /* of RunSpec: runs to place */
} Pass;

static void
line_clear (gpointer data)
{
  Line *line = data;
  g_free (line->reason);
  g_free (line->run_id);
}

static void
pass_clear (Pass *pass)
{
  g_array_unref (pass->lines);
  g_array_unref (pass->specs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pass, pass_clear)

/* --- what the messages ask for --- */

/* SPEC NULL: the message asks for no run. */
static void
add_known (Pass *pass, const KafkaMessage *message, const RunSpec *spec, ReplayStatus status,
           const char *reason)
{
  Line line = { .message = message, .spec = -1, .status = status, .reason = g_strdup (reason) };
  if (spec != NULL) {
    line.run_id = g_strdup (spec->run_id);
    line.job = spec->job;
  }
  g_array_append_val (pass->lines, line);
}

/* Moves SPEC. */
static void
add_placed (Pass *pass, const KafkaMessage *message, RunSpec *spec)
{
  Line line = { .message = message,
                .run_id = g_strdup (spec->run_id),
                .job = spec->job,
                .spec = (int)pass->specs->len };
  g_array_append_val (pass->lines, line);
  g_array_append_val (pass->specs, *spec);
  *spec = (RunSpec){ 0 };
}

/* An unreadable message can be of any job; a message that no job takes is of none. */
static void
add_without_run (Pass *pass, const KafkaMessage *message, const char *refusal)
{
  if (refusal != NULL)
    add_known (pass, message, NULL, REPLAY_REFUSED, refusal);
  else if (pass->replay->job == NULL)
    add_known (pass, message, NULL, REPLAY_DONE, "no job takes events of this type");
}

static gboolean
take_message (Pass *pass, const KafkaMessage *message, GError **error)
{
  const Replay *replay = pass->replay;
  g_autoptr (GArray) asked = run_specs_new ();
  Admitted admitted;
  if (!admit_message (&replay->admission, message, g_str_equal (message->topic, replay->ticks),
                      asked, &admitted, error))
    return FALSE;
  g_autofree char *refusal = admitted.reason;
  if (admitted.passed_over)
    return TRUE;
  if (asked->len == 0 || admitted.in_part)
    add_without_run (pass, message, refusal);
  for (guint i = 0; i < asked->len; i++) {
    RunSpec *spec = &g_array_index (asked, RunSpec, i);
    if (replay->job != NULL && replay->job != spec->job)
      continue;
    if (refusal != NULL && !admitted.in_part)
      add_known (pass, message, spec, REPLAY_REFUSED, refusal);
    else
      add_placed (pass, message, spec);
  }
  return TRUE;
}

static gboolean
take_messages (Pass *pass, KafkaMessage *const *messages, guint n, GError **error)
{
  Replay *replay = pass->replay;
  g_autoptr (OwnKeys) keys = own_keys_new (replay->pg);
  replay->admission.keys = keys;
  gboolean ok = pg_now_us (replay->pg, &replay->admission.now_us, error)
                && admit_prepare (&replay->admission, messages, n, error);
  for (guint i = 0; ok && i < n; i++)
    ok = take_message (pass, messages[i], error);
  replay->admission.keys = NULL;
  return ok;
}

/* --- what became of it --- */

static PgRows *
look (Pass *pass, GError **error)
{
  GString *ids = array_new (), *times = array_new (), *keys = array_new (), *timers = array_new ();
  for (guint i = 0; i < pass->specs->len; i++) {
    const RunSpec *spec = &g_array_index (pass->specs, RunSpec, i);
    g_autofree char *time = clock_format (spec->scheduled_at_us);
    array_add (ids, spec->run_id);
    array_add (times, time);
    array_add (keys, spec->unique_key);
    array_add (timers, spec->timer ? "t" : "f");
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "run_id", array_take (ids));
  pg_values_take (values, "scheduled_at", array_take (times));
  pg_values_take (values, "unique_key", array_take (keys));
  pg_values_take (values, "timer", array_take (timers));
  return pg_run_file (pass->replay->pg, SQL "replay_look.sql", values, error);
}

/* Dry run, the run does not exist: would it start? Does not consider runs that other messages
 * would start meanwhile. */
static void
foresee (const Pass *pass, const RunSpec *spec, const PgRows *rows, int row, ReplayResult *result,
         char **words)
{
  const char *later = rows_text (rows, row, "later"), *holder = rows_text (rows, row, "holder");
  const char *before = later != NULL ? later : holder;
  result->status = REPLAY_DONE;
  if (spec->state != NULL)
    result->reason = spec->error;
  else if (spec->cancels && later == NULL)
    result->reason = "cancelled";
  else if (before != NULL)
    result->reason = *words = g_strdup_printf ("overlaps %s", before);
  else if (g_hash_table_add (pass->replay->announced, g_strdup (spec->run_id)))
    result->status = REPLAY_WOULD_START;
  else
    result->status = REPLAY_RUNNING;
}

static void
tell_placed (const Pass *pass, const Line *line, const PgRows *rows)
{
  g_autofree char *words = NULL;
  const RunSpec *spec = &g_array_index (pass->specs, RunSpec, line->spec);
  ReplayResult result = { line->message,
                          line->job->name,
                          line->run_id,
                          REPLAY_STARTED,
                          rows_text (rows, line->spec, "state"),
                          rows_text (rows, line->spec, "error") };
  if (result.state == NULL)
    foresee (pass, spec, rows, line->spec, &result, &words);
  else if (run_has_ended (result.state))
    result.status = REPLAY_DONE;
  else if (spec->placed == PLACED_NOT || spec->placed == PLACED_KNOWN)
    result.status = REPLAY_RUNNING;
  pass->replay->tell (&result, pass->replay->data);
}

static void
tell_all (const Pass *pass, const PgRows *rows)
{
  for (guint i = 0; i < pass->lines->len; i++) {
    const Line *line = &g_array_index (pass->lines, Line, i);
    const char *job = line->job != NULL ? line->job->name : NULL;
    ReplayResult known = { line->message, job, line->run_id, line->status, NULL, line->reason };
    if (line->spec >= 0)
      tell_placed (pass, line, rows);
    else
      pass->replay->tell (&known, pass->replay->data);
  }
}

/* --- a transaction --- */

static void
pass_init (Pass *pass, Replay *replay)
{
  *pass = (Pass){ replay, g_array_new (FALSE, FALSE, sizeof (Line)), run_specs_new () };
  g_array_set_clear_func (pass->lines, line_clear);
}

/* In the open transaction: places unless dry, looks. */
static PgRows *
work (Pass *pass, GError **error)
{
  Replay *replay = pass->replay;
  gboolean dry = replay->publisher == NULL;
  if (!dry
      && (!timer_place (replay->pg, pass->specs, error)
          || !place_runs (replay->pg, pass->specs, FALSE, error)))
    return NULL;
  return look (pass, error);
}

static PgRows *
transact (Pass *pass, GError **error)
{
  Pg *pg = pass->replay->pg;
  gboolean dry = pass->replay->publisher == NULL;
  g_autoptr (PgRows) rows = NULL;
  if (dry ? !pg_begin_read_only (pg, error) : !pg_begin (pg, error))
    return NULL;
  rows = work (pass, error);
  if (rows != NULL && !dry && pg_commit (pg, error))
    return g_steal_pointer (&rows);
  pg_rollback (pg);
  return dry ? g_steal_pointer (&rows) : NULL;
}

/* If a work message is not sent, the daemon finds its run. */
static void
publish (const Pass *pass)
{
  g_autoptr (Bundle) bundle = bundle_new_of_no_run ();
  g_autoptr (GError) error = NULL;
  place_add_work (bundle, pass->specs);
  if (!publisher_send_plain (pass->replay->publisher, bundle, &error))
    log_warning ("Work messages could not be sent; a daemon will send them", "error",
                 error->message);
}

static gboolean
replay_together (Replay *replay, KafkaMessage *const *messages, guint n, GError **error)
{
  g_auto (Pass) pass;
  pass_init (&pass, replay);
  g_autoptr (PgRows) rows
      = take_messages (&pass, messages, n, error) ? transact (&pass, error) : NULL;
  if (rows == NULL)
    return FALSE;
  if (replay->publisher != NULL)
    publish (&pass);
  tell_all (&pass, rows);
  return TRUE;
}

gboolean
replay_messages (Replay *replay, KafkaMessage *const *messages, guint n, GError **error)
{
  GError *cause = NULL;
  if (n == 0 || replay_together (replay, messages, n, &cause))
    return TRUE;
  if (cause->code != PRUNED_DATA) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  if (n > 1) {
    g_clear_error (&cause);
    return replay_messages (replay, messages, n / 2, error)
           && replay_messages (replay, messages + n / 2, n - n / 2, error);
  }
  g_autofree char *reason = g_strdup_printf ("undecodable: %s", cause->message);
  ReplayResult refused = { messages[0], NULL, NULL, REPLAY_REFUSED, NULL, reason };
  g_clear_error (&cause);
  replay->tell (&refused, replay->data);
  return TRUE;
}
