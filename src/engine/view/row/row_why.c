/* Length: all that is said of a row is read as one page. */
#include "engine/view/row/row_why.h"

#include "base/clock.h"
#include "base/plural.h"
#include "base/spoken.h"
#include "base/words.h"
#include "engine/job/sentence/sentence.h"
#include "engine/night/night.h"
#include "engine/step/plan.h"
#include "engine/step/quarantine.h"
#include "engine/step/why.h"
#include "engine/view/row/row_name.h"

#include <string.h>

#define SQL "src/engine/view/row/sql/"

static const Column WHY_COLUMNS[] = { { "item", .detail = TRUE },
                                      { "job" },
                                      { "verdict", .detail = TRUE },
                                      { "says" },
                                      { "reason", .detail = TRUE },
                                      { "due_at", CELL_TIME },
                                      { "next_at", CELL_TIME },
                                      { "commands", CELL_JSON },
                                      { NULL } };

const Column *
row_why_columns (void)
{
  return WHY_COLUMNS;
}

void
row_why_clear (RowWhy *why)
{
  g_clear_pointer (&why->lines, json_decref);
}

typedef struct {
  RowWhy *why;
  const Jobs *jobs;
  Pg *pg;
  const PgRows *nights;
  const char *table, *key; /* as the audit names it; as a job's page writes it */
  PgRows *entries;         /* of why.sql */
  gint64 now_us;
} Asking;

/* What is said of one job. */
typedef struct {
  const char *job;     /* NULL: of none */
  const char *verdict; /* docs/night.md */
  const char *reason;  /* NULL: none */
  gint64 due_us;       /* -1: none */
  const char *next_at; /* NULL: not known */
  const char *command; /* NULL: none */
} Line;

static void
show (Asking *asking, const Line *line, const char *says)
{
  g_autofree char *item = g_strdup_printf ("%s:%s", asking->table, asking->key),
                  *due = line->due_us >= 0 ? clock_format (line->due_us) : NULL;
  json_t *commands = json_array ();
  if (line->command != NULL)
    json_array_append_new (commands, json_string (line->command));
  json_array_append_new (asking->why->lines,
                         json_pack ("[s, s?, s, s, s?, o, o, o]", item, line->job, line->verdict,
                                    says, line->reason, cell_from_text (CELL_TIME, due),
                                    cell_from_text (CELL_TIME, line->next_at), commands));
}

/* --- of one job ------------------------------------------------------------------------------- */

/* Why its runs do not come, or nothing: `; but it is paused`. g_free it. */
static char *
hindered (const Asking *asking, int night)
{
  static const char *const plain[] = { "ok", "running", "never", "failing", "less", "plan" };
  const char *state = rows_text (asking->nights, night, "state");
  for (guint i = 0; i < G_N_ELEMENTS (plain); i++)
    if (g_str_equal (state, plain[i]))
      return g_strdup (g_str_equal (state, "plan") ? "; but it only plans" : "");
  g_autofree char *says = night_says (asking->nights, night);
  return g_strdup_printf ("; but: %s", says);
}

static void
say_due (Asking *asking, const Job *job, int night, const Why *why)
{
  const char *next_at = rows_text (asking->nights, night, "next_at");
  g_autoptr (json_t) time = cell_from_text (CELL_TIME, next_at);
  g_autofree char *in = words_of_time (json_string_value (time), asking->now_us),
                  *but = hindered (asking, night),
                  *says = g_strdup_printf ("due: its next run takes it%s%s%s",
                                           in != NULL ? ", " : "", in != NULL ? in : "", but);
  const Line line = { job->name, "due", why->reason, -1, next_at, NULL };
  show (asking, &line, says);
}

static gboolean
say_stays (Asking *asking, const Job *job, const Why *why, GError **error)
{
  gint64 due_us;
  if (!why_due (asking->pg, job, asking->now_us, asking->key, &due_us, error))
    return FALSE;
  if (due_us < 0) {
    const char *reason = why->reason != NULL ? why->reason : why->what;
    g_autofree char *says
        = g_strcmp0 (reason, "where") == 0
              ? g_strdup ("kept: its condition does not name the row, at no time as the row is now")
              : g_strdup_printf ("kept: %s", reason != NULL ? reason : "its rule does not name it");
    const Line line = { job->name, "kept", reason, -1, NULL, NULL };
    show (asking, &line, says);
    return TRUE;
  }
  g_autofree char *time = clock_format (due_us),
                  *says = g_strdup_printf ("not due until %.10s %.8s UTC, as the row is now", time,
                                           time + strlen ("2026-11-30T"));
  const Line line = { job->name, "not due", why->reason, due_us, NULL, NULL };
  show (asking, &line, says);
  return TRUE;
}

/* Of an entry in quarantine that keeps runs from the row. */
static void
say_failing (Asking *asking, const Job *job, int entry, gboolean over)
{
  const PgRows *rows = asking->entries;
  const gboolean parked = rows_bool (rows, entry, "parked");
  const char *reason = rows_text (rows, entry, "reason"),
             *next_at = rows_text (rows, entry, "next_try_at");
  g_autoptr (json_t) next = cell_from_text (CELL_TIME, next_at);
  g_autofree char *item = item_argument (job->table, asking->key, TRUE),
                  *retry = g_strdup_printf ("pruned quarantine retry %s %s", job->name, item),
                  *in = words_of_time (json_string_value (next), asking->now_us),
                  *age
                  = spoken_duration (g_ascii_strtod (rows_text (rows, entry, "failing_s"), NULL));
  const gint64 tries = rows_int (rows, entry, "attempts");
  g_autofree char *again = g_strdup_printf ("tried again %s", in),
                  *says = g_strdup_printf ("has failed for %s, %" G_GINT64_FORMAT " %s: %s; %s",
                                           age, tries, plural (tries, "time", "times"), reason,
                                           parked  ? "parked: tried once in park_retry_days"
                                           : !over ? "its next run tries it again"
                                                   : again);
  const Line line = { job->name, "failing", reason, -1, next_at, over ? retry : NULL };
  show (asking, &line, says);
}

static void
say_held (Asking *asking, const Job *job)
{
  const char *kind = rows_text (asking->entries, 0, "held_kind");
  g_autofree char *item = item_argument (job->table, asking->key, TRUE),
                  *release = g_strdup_printf ("pruned release %s", item);
  const Line line = { job->name, "held", kind, -1, NULL, release };
  show (asking, &line,
        g_str_equal (kind, "hold")
            ? "on hold: no run takes it until it is released, or its hold has ended"
            : "held: a restore has put it back, and no run takes it until it is released");
}

/* The row stays with a held one below it. */
static void
say_held_below (Asking *asking, const Job *job, const char *below)
{
  g_autofree char *argument = g_shell_quote (below),
                  *release = g_strdup_printf ("pruned release %s", argument),
                  *says
                  = g_strdup_printf ("held: %s, which is held, would go with it: no run takes it "
                                     "until that is released",
                                     below);
  const Line line = { job->name, "held", below, -1, NULL, release };
  show (asking, &line, says);
}

/* Whether the row is passed over for its entry in quarantine. */
static gboolean
is_passed_over (Asking *asking, const Job *job, gboolean *over, GError **error)
{
  g_autoptr (json_t) args = json_object ();
  g_autoptr (Run) run = plan_run_of (job, asking->now_us, args);
  g_autoptr (Step) step = step_new (asking->pg, run, "", NULL, NULL);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) passed = NULL;
  g_ptr_array_add (items, g_strdup_printf ("%s:%s", job->table, asking->key));
  g_autoptr (PgRows) rows = pg_begin_read_only (asking->pg, error)
                                ? quarantine_known (step, items, &passed, error)
                                : NULL;
  *over = FALSE;
  for (guint i = 0; passed != NULL && i < passed->len; i++)
    *over |= g_array_index (passed, gboolean, i);
  pg_rollback (asking->pg);
  return rows != NULL;
}

static gboolean
ask_job (Asking *asking, const Job *job, int night, int entry, GError **error)
{
  gboolean over = FALSE;
  g_auto (Why) why = { 0 };
  if (!is_passed_over (asking, job, &over, error)
      || !why_ask (asking->pg, job, asking->now_us, asking->key, &why, error))
    return FALSE;
  const gboolean fails = rows_text (asking->entries, entry, "reason") != NULL;
  const Line none = { job->name, "unknown", NULL, -1, NULL, NULL },
             named = { job->name, "named", NULL, -1, NULL, NULL };
  if (rows_bool (asking->entries, entry, "held"))
    say_held (asking, job);
  else if (why.below != NULL)
    say_held_below (asking, job, why.below);
  else if (fails && (over || why.goes || g_strcmp0 (why.what, "failed") == 0))
    say_failing (asking, job, entry, over);
  else if (job_only_names_rows (job))
    show (asking, &named, "stays until an event names it");
  else if (!job->kind->rows || !why.known)
    show (asking, &none,
          job->kind->rows ? "unknown: it cannot be asked about a single row; see `pruned plan`"
                          : "unknown: it drops whole partitions; see `pruned plan`");
  else if (why.goes)
    say_due (asking, job, night, &why);
  else if (g_strcmp0 (why.what, "failed") == 0) {
    g_autofree char *says = g_strdup_printf ("fails: %s", why.reason);
    const Line line = { job->name, "failing", why.reason, -1, NULL, NULL };
    show (asking, &line, says);
  } else
    return say_stays (asking, job, &why, error);
  return TRUE;
}

/* A job that cannot be asked, for lack of a table or a right, keeps no other from being asked. */
static gboolean
ask_or_say (Asking *asking, int entry, GError **error)
{
  const int at = (int)rows_int (asking->entries, entry, "row");
  const Job *job = jobs_at (asking->jobs, (guint)at);
  GError *cause = NULL;
  if (ask_job (asking, job, at, entry, &cause))
    return TRUE;
  if (cause->code == PRUNED_OUTAGE) {
    g_propagate_error (error, cause);
    return FALSE;
  }
  g_autofree char *says = g_strdup_printf ("unknown: %s", cause->message);
  const Line line = { job->name, "unknown", cause->message, -1, NULL, NULL };
  show (asking, &line, says);
  g_error_free (cause);
  return TRUE;
}

/* --- the row ---------------------------------------------------------------------------------- */

/* Which jobs' rows are of the table, with their entries. */
static PgRows *
look (Asking *asking, GError **error)
{
  GString *names = array_new (), *jobs = array_new (), *items = array_new ();
  for (guint i = 0; i < jobs_count (asking->jobs); i++) {
    const Job *job = jobs_at (asking->jobs, i);
    const char *table = job->table != NULL ? job->table : "";
    g_autofree char *item = g_strdup_printf ("%s:%s", table, asking->key);
    array_add (names, table);
    array_add (jobs, job->name);
    array_add (items, item);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "name", array_take (names));
  pg_values_take (values, "job", array_take (jobs));
  pg_values_take (values, "item", array_take (items));
  pg_values_set (values, "table", asking->table);
  PgRows *rows = pg_begin_read_only (asking->pg, error)
                     ? pg_run_file (asking->pg, SQL "why.sql", values, error)
                     : NULL;
  pg_rollback (asking->pg);
  return rows;
}

static gboolean
is_there (Asking *asking, gboolean *there, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (items, g_strdup_printf ("%s:%s", asking->table, asking->key));
  g_autofree char *states = pg_begin_read_only (asking->pg, error)
                                ? quarantine_states (asking->pg, items, error)
                                : NULL;
  pg_rollback (asking->pg);
  *there = states != NULL && !g_str_equal (states, "{\"\"}") && !g_str_equal (states, "{}");
  return states != NULL;
}

/* Rows of the table go with those of another one. */
static void
say_below (Asking *asking)
{
  for (guint i = 0; i < jobs_count (asking->jobs); i++) {
    const Job *job = jobs_at (asking->jobs, i);
    const GPtrArray *children = job->sentence != NULL ? job->sentence->children : NULL;
    for (guint k = 0; children != NULL && k < children->len; k++) {
      const SentenceChild *child = children->pdata[k];
      if (!g_str_equal (child->table, asking->table))
        continue;
      g_autofree char *says
          = g_strdup_printf ("goes with its row of %s: ask `pruned why` of that", job->table);
      const Line line = { job->name, "with its row", NULL, -1, NULL, NULL };
      show (asking, &line, says);
    }
  }
}

static ItemEnd
ask_row (Asking *asking, GError **error)
{
  g_autoptr (PgRows) entries = look (asking, error);
  asking->entries = entries;
  if (entries == NULL)
    return ITEM_FAILED;
  for (int i = 0; i < rows_count (entries); i++)
    if (!ask_or_say (asking, i, error))
      return ITEM_FAILED;
  say_below (asking);
  const Line none = { NULL, "no rule", NULL, -1, NULL, NULL };
  g_autofree char *says = g_strdup_printf (
      "no rule names %s: no job in force has rows of it, so its rows stay. If they should go, write "
      "a [retention] section with table = %s: `pruned new` proposes one",
      asking->table, asking->table);
  if (json_array_size (asking->why->lines) == 0)
    show (asking, &none, says);
  return ITEM_READ;
}

static void
say_gone (Asking *asking, const char *given)
{
  g_autofree char *who = g_strdup_printf ("pruned who %s", given);
  const Line line = { NULL, "gone", NULL, -1, NULL, who };
  show (asking, &line, "gone: there is no such row, or this role does not see it");
}

static ItemEnd
check_hidden (const Asking *asking, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "table", asking->table);
  g_autoptr (PgRows) rows = pg_begin_read_only (asking->pg, error)
                                ? pg_run_file (asking->pg, SQL "why_hidden.sql", values, error)
                                : NULL;
  pg_rollback (asking->pg);
  if (rows == NULL)
    return ITEM_FAILED;
  if (!rows_bool (rows, 0, "hidden"))
    return ITEM_READ;
  (void)error_reject (
      error,
      "row-level security hides rows of %s from this role: whether the row is there is "
      "not known; ask as the owner of the table (-s postgres.url=...)",
      asking->table);
  return ITEM_HIDDEN;
}

ItemEnd
row_why_ask (RowWhy *why, const RowWhyOf *of, const char *given, GError **error)
{
  g_auto (RowName) row = { 0 };
  gboolean there;
  *why = (RowWhy){ json_array () };
  const ItemEnd end = row_name_read (of->jobs, of->pg, given, NULL, &row, error);
  if (end != ITEM_READ)
    return end;
  Asking asking = { why, of->jobs, of->pg, of->nights, row.name, row.key, NULL, clock_now_us () };
  if (!is_there (&asking, &there, error))
    return ITEM_FAILED;
  if (there)
    return ask_row (&asking, error);
  const ItemEnd seen = check_hidden (&asking, error);
  if (seen != ITEM_READ)
    return seen;
  why->gone = TRUE;
  say_gone (&asking, given);
  return ITEM_READ;
}
