#include "web/state.h"

#include "base/clock.h"
#include "engine/job/in_force.h"
#include "engine/view/view.h"
#include "web/exposition.h"

#include <string.h>

#define KEPT_US (2 * G_USEC_PER_SEC)
#define SHARE 20 /* the statement takes at most 1/SHARE of the time */

static const struct {
  const char *name, *label, *label2, *help;
} GAUGES[] = {
  { "pruned_runs", "job", "state",
    "Rows of pruned.runs: what has not ended, dead runs, and what ended within the last hour." },
  { "pruned_failing_runs", "job", NULL, "Runs that have failed and will be tried again." },
  { "pruned_quarantine_items", "job", "parked",
    "Items that failed; parked ones are retried once in park_retry_days (files in a store: once a day), or at once by `pruned quarantine retry`." },
  { "pruned_job_blocked", "job", NULL,
    "1: the job lacks a table, a right or a setting, and does nothing." },
  { "pruned_held_runs", "job", NULL,
    "Runs that would change more than the limits allow; they wait for `pruned approve`." },
  { "pruned_held_rows", "table", "kind",
    "Rows that no job takes: `hold`, or `restored`; counted up to 100000 a table." },
  { "pruned_held_table_gone", "table", NULL,
    "1: rows of the table are held, and there is no such table." },
  { "pruned_held_rows_missing", "table", NULL,
    "Rows that are held and are not there: others removed them, or gave them another key; jobs that can reach the table wait." },
  { "pruned_hold_ends_timestamp_seconds", "table", NULL,
    "When the next hold on a row of the table ends, since the epoch; absent: none ends by itself." },
  { "pruned_job_paused", "job", NULL, "1: the job is paused." },
  { "pruned_run_disagreed", "job", NULL,
    "Runs whose second reading disagrees, since the job was last resumed: it took rows that its rule does not take, or left rows without the one they refer to." },
  { "pruned_last_success_timestamp_seconds", "job", NULL,
    "When a run of the job last ended well, since the epoch; 0: never." },
  { "pruned_job_known_timestamp_seconds", "job", NULL,
    "When the job was first seen here, since the epoch." },
};

/* Of the night (engine/night): one value a job, which night.sql has as the column of
 * the metric's name. Where that is null the metric is absent. */
static const struct {
  const char *name, *label, *label2, *help;
} NIGHT[] = {
  { "pruned_tick_late_seconds", "job", NULL,
    "How long ago the job's next tick should have come; 0: it is not late." },
  { "pruned_oldest_failing_seconds", "job", NULL,
    "How long ago the first of the rows that fail now failed for the first time; 0: none fails." },
  { "pruned_night_rows", "job", NULL,
    "Rows that the job changed in its last night: a day of T, the last one that is over if it has several ticks a day." },
  { "pruned_usual_rows", "job", NULL, "The median of its last 30 nights before that one." },
  { "pruned_job_below_usual", "job", NULL,
    "1: the job's last night did far less than usual (`min_ratio`)." },
  { "pruned_deadline_seconds", "job", NULL,
    "How long after it became due a row of the job may be there (`deadline`)." },
  { "pruned_deadline_unknown", "job", NULL,
    "1: its rows past the deadline cannot be looked for, like without an index; the next figures are absent then." },
  { "pruned_oldest_overdue_seconds", "job", NULL,
    "How long ago the oldest row became due that should have gone; 0: none has been due for four fifths of the deadline." },
  { "pruned_overdue_rows", "job", "why",
    "Rows that are past the deadline, at most 10,000, by what keeps them." },
  { "pruned_due_rows", "job", NULL,
    "Rows that are due, whether or not they stay; above 10,000 the planner's estimate." },
  { "pruned_due_inflow_rows", "job", NULL,
    "Rows that become due within a day; above 10,000 the planner's estimate." },
  { "pruned_due_outflow_rows", "job", NULL, "Rows that the job changed a day, in the last seven." },
  { "pruned_caught_up_nights", "job", NULL,
    "In how many days all that is due will have gone, if nothing changes; 0: nothing is late; absent: never." },
};

struct _State {
  Pg *pg;
  Night *night;    /* of the settings in force; NULL: not made yet */
  char *jobs;      /* array literal */
  char *intervals; /* the text of what settings say of each job; NULL: not made yet */
  guint number;    /* of the settings that `intervals` was made from */
  char *kept;      /* the cached gauges; NULL: the statement failed */
  gboolean down;   /* PostgreSQL does not answer */
  gint64 until_us;
};

static char *
intervals_of (const Jobs *jobs)
{
  GString *text = g_string_new (NULL);
  exposition_head (text, "pruned_job_interval_seconds", "gauge",
                   "The longest time between two ticks of the job's schedule; 0: it has none.");
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    const JobSettings *settings = in_force_of (job);
    double interval = settings->enabled ? night_interval_s (settings->cron, settings->zone) : 0;
    g_autofree char *label = exposition_label ("job", job->name);
    exposition_value (text, "pruned_job_interval_seconds", label, interval);
  }
  exposition_head (text, "pruned_job_enabled", "gauge",
                   "0: the job's mode is off, and its runs wait.");
  for (guint i = 0; i < jobs_count (jobs); i++) {
    const Job *job = jobs_at (jobs, i);
    g_autofree char *label = exposition_label ("job", job->name);
    exposition_value (text, "pruned_job_enabled", label, in_force_of (job)->enabled);
  }
  return g_string_free (text, FALSE);
}

State *
state_new (const Jobs *jobs, Pg *pg)
{
  State *state = g_new0 (State, 1);
  state->pg = pg;
  state->jobs = jobs_array (jobs);
  return state;
}

void
state_free (State *state)
{
  if (state == NULL)
    return;
  g_free (state->jobs);
  night_free (state->night);
  g_free (state->intervals);
  g_free (state->kept);
  g_free (state);
}

static void
add_gauge (GString *text, guint i, const PgRows *rows)
{
  exposition_head (text, GAUGES[i].name, "gauge", GAUGES[i].help);
  for (int row = 0; row < rows_count (rows); row++) {
    if (!g_str_equal (rows_text (rows, row, "name"), GAUGES[i].name))
      continue;
    g_autofree char *label = exposition_label (GAUGES[i].label, rows_text (rows, row, "job"));
    g_autofree char *label2
        = GAUGES[i].label2 != NULL
              ? exposition_label (GAUGES[i].label2, rows_text (rows, row, "label2"))
              : NULL;
    g_autofree char *labels = g_strconcat (label, label2 != NULL ? "," : NULL, label2, NULL);
    exposition_value (text, GAUGES[i].name, labels,
                      g_ascii_strtod (rows_text (rows, row, "value"), NULL));
  }
}

/* An object with a value for each value of the second label. */
static void
add_by_label (GString *text, guint i, const char *job, const char *value)
{
  const char *key;
  json_t *one;
  g_autoptr (json_t) all = json_loads (value, 0, NULL);
  if (json_object_get (all, "none") == NULL)
    json_object_set_new (all, "none", json_integer (0));
  json_object_foreach (all, key, one) {
    g_autofree char *label2 = exposition_label (NIGHT[i].label2, key),
                    *labels = g_strconcat (job, ",", label2, NULL);
    exposition_value (text, NIGHT[i].name, labels, json_number_value (one));
  }
}

static void
add_night (GString *text, guint i, const PgRows *rows)
{
  exposition_head (text, NIGHT[i].name, "gauge", NIGHT[i].help);
  for (int row = 0; row < rows_count (rows); row++) {
    const char *value = rows_text (rows, row, NIGHT[i].name + strlen ("pruned_"));
    g_autofree char *label = exposition_label (NIGHT[i].label, rows_text (rows, row, "job"));
    if (value != NULL && NIGHT[i].label2 != NULL)
      add_by_label (text, i, label, value);
    else if (value != NULL)
      exposition_value (text, NIGHT[i].name, label, g_ascii_strtod (value, NULL));
  }
}

/* Without it the other figures stay: a metric that is absent is not 0. */
static void
ask_night (State *state, GString *text)
{
  g_autoptr (GError) error = NULL;
  if (state->night == NULL)
    state->night = view_night (in_force_jobs ());
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin_read_only (state->pg, &error)
      && pg_exec (state->pg, "SET LOCAL statement_timeout = '2s'", &error))
    rows = night_ask (state->pg, state->night, NULL, &error);
  pg_rollback (state->pg);
  if (rows == NULL)
    log_warning_every (300, "night", "What nights did is left out of the metrics", error->message);
  for (guint i = 0; rows != NULL && i < G_N_ELEMENTS (NIGHT); i++)
    add_night (text, i, rows);
}

static char *
ask (State *state)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", state->jobs);
  g_autoptr (GError) error = NULL;
  g_autoptr (PgRows) rows = NULL;
  if (pg_begin_read_only (state->pg, &error)
      && pg_exec (state->pg, "SET LOCAL statement_timeout = '2s'", &error))
    rows = pg_run_file (state->pg, "src/web/sql/state.sql", values, &error);
  state->down = error != NULL && error->code == PRUNED_OUTAGE;
  pg_rollback (state->pg);
  if (rows == NULL) {
    log_warning_every (300, "state", "Figures from the tables are left out of the metrics",
                       error->message);
    return NULL;
  }
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (GAUGES); i++)
    add_gauge (text, i, rows);
  ask_night (state, text);
  return g_string_free (text, FALSE);
}

/* A reload can change jobs and schedules. */
static void
look_at_schedules (State *state)
{
  in_force_renew ();
  if (state->intervals != NULL && state->number == in_force_number ())
    return;
  g_free (state->intervals);
  g_clear_pointer (&state->night, night_free);
  state->intervals = intervals_of (in_force_jobs ());
  state->number = in_force_number ();
  g_free (state->jobs);
  state->jobs = jobs_array (in_force_jobs ());
}

gboolean
state_add (State *state, GString *body)
{
  gint64 began_us = clock_monotonic_us ();
  if (began_us >= state->until_us) {
    g_free (state->kept);
    state->kept = ask (state);
    gint64 now_us = clock_monotonic_us ();
    if (!state->down) /* nothing is cached while PostgreSQL is down */
      state->until_us = now_us + MAX (KEPT_US, SHARE * (now_us - began_us));
  }
  exposition_head (body, "pruned_database_up", "gauge",
                   "1: the metrics from the tables were read; 0: they are absent.");
  exposition_value (body, "pruned_database_up", "", state->kept != NULL);
  look_at_schedules (state);
  g_string_append (body, state->intervals);
  if (state->kept != NULL)
    g_string_append (body, state->kept);
  return !state->down;
}
