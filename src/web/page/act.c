#include "web/page/act.h"

#include "base/clock.h"
#include "base/spoken.h"
#include "base/uuid5.h"
#include "engine/job/in_force.h"
#include "engine/view/run_view.h"
#include "web/page/parts.h"

#include <string.h>

void
act_show_links (Sheet *sheet, ActOf of, const char *what)
{
  if (!act_is_on ())
    return;
  html_open (sheet->html, HTML_P);
  for (const Act *act = ACTS; act->name != NULL; act++) {
    if (act->of != of)
      continue;
    g_autofree char *link = html_link ("act", "do", act->name, "what", what, NULL);
    html_open (sheet->html, HTML_A);
    html_set (sheet->html, HTML_AT_HREF, link);
    html_set (sheet->html, HTML_AT_CLASS, "do");
    html_add (sheet->html, act->button);
    html_close (sheet->html);
    html_add (sheet->html, " ");
  }
  html_close (sheet->html);
}

/* --- how it stands ---------------------------------------------------------------------------- */

void
act_seen_clear (ActSeen *seen)
{
  g_clear_pointer (&seen->run, rows_free);
  g_clear_pointer (&seen->step, g_free);
  g_clear_pointer (&seen->rows, g_free);
  g_clear_pointer (&seen->since, g_free);
  g_clear_pointer (&seen->last, g_free);
  g_clear_pointer (&seen->missing, g_free);
}

static gboolean
look_at_run (const Act *act, const char *what, Pg *pg, ActSeen *seen, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "run_id", what);
  pg_values_set (values, "scheduled_at", NULL);
  if (!uuid5_is_valid (what)) {
    seen->missing = g_strdup ("That is no id of a run.");
    return TRUE;
  }
  seen->run = view_ask (pg, VIEW_RUN, values, error);
  if (seen->run == NULL)
    return FALSE;
  if (rows_count (seen->run) == 0) {
    g_clear_pointer (&seen->run, rows_free);
    seen->missing = g_strdup ("There is no such run.");
    return TRUE;
  }
  const char *state = rows_text (seen->run, 0, "state"), *text = rows_text (seen->run, 0, "held");
  g_auto (GStrv) states = g_strsplit (act->states, ",", -1);
  g_autoptr (json_t) held = text != NULL ? cell_from_text (CELL_JSON, text) : NULL;
  const json_t *counted = json_object_get (held, "counted");
  seen->step = g_strdup (rows_text (seen->run, 0, "step"));
  if (g_str_equal (state, "held") && json_is_integer (counted))
    seen->rows = g_strdup_printf ("%" JSON_INTEGER_FORMAT, json_integer_value (counted));
  if (!g_strv_contains ((const char *const *)states, state))
    seen->missing = g_strdup_printf ("The run is %s: there is nothing to %s.", state, act->name);
  return TRUE;
}

static gboolean
look_at_stop (const Act *act, Pg *pg, ActSeen *seen, GError **error)
{
  g_autoptr (PgRows) stop = view_ask (pg, VIEW_STOP, NULL, error);
  if (stop == NULL)
    return FALSE;
  const gboolean stands = rows_count (stop) > 0;
  seen->since = g_strdup (stands ? rows_text (stop, 0, "since") : "");
  if (!stands && g_str_equal (act->name, "go"))
    seen->missing = g_strdup ("Nothing is stopped.");
  return TRUE;
}

/* The newest run of eight days, of any state. */
static gboolean
look_at_last (const char *what, Pg *pg, ActSeen *seen, GError **error)
{
  static const char *const none[] = { "state", "since" };
  g_autoptr (PgValues) values = pg_values_new ();
  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    pg_values_set (values, none[i], NULL);
  pg_values_set (values, "job", what);
  pg_values_set (values, "parents", "false");
  pg_values_int (values, "limit", 1);
  pg_values_time (values, "archive_from", clock_now_us () - VIEWS_ARCHIVE_US);
  g_autoptr (PgRows) runs = view_ask (pg, VIEW_RUNS, values, error);
  if (runs == NULL)
    return FALSE;
  seen->last = g_strdup (rows_count (runs) > 0 ? rows_text (runs, 0, "run_id") : "");
  return TRUE;
}

/* One job, by its name: it has no pattern. */
static gboolean
look_at_job (const Act *act, const char *what, Pg *pg, ActSeen *seen, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  if (jobs_find (in_force_jobs (), what) == NULL) {
    seen->missing = g_strdup ("This process does not have such a job.");
    return TRUE;
  }
  pg_values_set (values, "job", what);
  g_autoptr (PgRows) paused = view_ask (pg, VIEW_PAUSED, values, error);
  if (paused == NULL)
    return FALSE;
  const gboolean is_paused = rows_count (paused) > 0;
  seen->since = g_strdup (is_paused ? rows_text (paused, 0, "since") : "");
  if (!is_paused && g_str_equal (act->name, "resume"))
    seen->missing = g_strdup ("The job is not paused.");
  return !g_str_equal (act->name, "tick") || look_at_last (what, pg, seen, error);
}

static gboolean
look_at_hold (const char *what, Pg *pg, ActSeen *seen, GError **error)
{
  g_autoptr (PgRows) holds = view_ask (pg, VIEW_HOLDS, NULL, error);
  for (int i = 0; holds != NULL && i < rows_count (holds); i++)
    if (g_str_equal (rows_text (holds, i, "hold_id"), what))
      seen->rows = g_strdup (rows_text (holds, i, "rows"));
  if (holds != NULL && seen->rows == NULL)
    seen->missing = g_strdup ("There is no such hold.");
  return holds != NULL;
}

gboolean
act_look (const Act *act, const char *what, Pg *pg, ActSeen *seen, GError **error)
{
  if ((act->of == ACT_OF_ALL) != (what == NULL || *what == '\0')
      || (what != NULL && (*what == '-' || strchr (what, '\n') != NULL))) {
    seen->missing = g_strdup ("It does not say what to do it to.");
    return TRUE;
  }
  switch (act->of) {
  case ACT_OF_RUN:
    return look_at_run (act, what, pg, seen, error);
  case ACT_OF_JOB:
    return look_at_job (act, what, pg, seen, error);
  case ACT_OF_HOLD:
    return look_at_hold (what, pg, seen, error);
  case ACT_OF_ALL:
    return look_at_stop (act, pg, seen, error);
  case ACT_OF_ROW:
    break; /* the command looks for the row */
  }
  return TRUE;
}

/* --- the page that asks ----------------------------------------------------------------------- */

static void
add_input (Sheet *sheet, const char *type, const char *name, const char *value)
{
  g_autofree char *id = g_strconcat ("act-", name, NULL);
  html_open (sheet->html, HTML_INPUT);
  html_set (sheet->html, HTML_AT_TYPE, type);
  html_set (sheet->html, HTML_AT_ID, id);
  html_set (sheet->html, HTML_AT_NAME, name);
  html_set (sheet->html, HTML_AT_VALUE, value);
  html_close (sheet->html);
}

static void
add_field (Sheet *sheet, const char *type, const char *name, const char *label)
{
  g_autofree char *id = g_strconcat ("act-", name, NULL);
  html_open (sheet->html, HTML_P);
  html_open (sheet->html, HTML_LABEL);
  html_set (sheet->html, HTML_AT_FOR, id);
  html_add (sheet->html, label);
  html_close (sheet->html);
  html_add (sheet->html, " ");
  add_input (sheet, type, name, NULL);
  html_close (sheet->html);
}

static void
add_hidden (Sheet *sheet, const char *name, const char *value)
{
  if (value != NULL)
    add_input (sheet, "hidden", name, value);
}

static void
show_form (Sheet *sheet, const Act *act, const char *what, const ActSeen *seen)
{
  Html *html = sheet->html;
  html_open (html, HTML_FORM);
  html_set (html, HTML_AT_CLASS, "act");
  html_set (html, HTML_AT_METHOD, "post");
  html_set (html, HTML_AT_ACTION, ACT_PATH + 1);
  add_hidden (sheet, "do", act->name);
  add_hidden (sheet, "what", what);
  add_hidden (sheet, "step", seen->step);
  add_hidden (sheet, "rows", seen->rows);
  add_hidden (sheet, "since", seen->since);
  add_hidden (sheet, "last", seen->last);
  add_hidden (sheet, "version", PRUNED_VERSION);
  if (act->counts && seen->rows != NULL) {
    g_autofree char *label = g_strdup_printf ("Type the number of rows, %s, to go on", seen->rows);
    add_field (sheet, "text", "number", label);
  }
  if (act->option[0] != NULL)
    add_field (sheet, "text", act->option[0], act->option[1]);
  add_field (sheet, "text", "reason", act->wants_reason ? "Why" : "Why; the journal keeps it");
  if (*config_text (in_force_config (), "http", "tokens") != '\0')
    add_field (sheet, "password", "token", "Your token");
  html_text (html, HTML_BUTTON, act->button);
  html_close (html);
}

static void
show_seen (Sheet *sheet, const Act *act, const char *what, const ActSeen *seen)
{
  html_open (sheet->html, HTML_DL);
  if (seen->run != NULL) {
    g_autofree char *result = run_view_result (seen->run, 0);
    parts_line (sheet, "job", rows_text (seen->run, 0, "job"));
    html_text (sheet->html, HTML_DT, "run");
    html_open (sheet->html, HTML_DD);
    sheet_link (sheet, "run", "id", what);
    html_close (sheet->html);
    html_text (sheet->html, HTML_DT, "T");
    html_open (sheet->html, HTML_DD);
    sheet_time (sheet, rows_text (seen->run, 0, "scheduled_at"));
    html_close (sheet->html);
    parts_line (sheet, "state", run_view_state (seen->run, 0));
    parts_line (sheet, "step", seen->step);
    parts_line (sheet, "so far", result);
  } else
    parts_line (sheet, "of", what);
  if (seen->rows != NULL) {
    g_autofree char *rows = spoken_number (g_ascii_strtoll (seen->rows, NULL, 10));
    parts_line (sheet, "counted rows", rows);
  }
  parts_line (sheet, act->of == ACT_OF_JOB ? "paused since" : "stopped since",
              seen->since != NULL && *seen->since != '\0' ? seen->since : NULL);
  if (seen->last != NULL && *seen->last != '\0') {
    html_text (sheet->html, HTML_DT, "the last run");
    html_open (sheet->html, HTML_DD);
    sheet_link (sheet, "run", "id", seen->last);
    html_close (sheet->html);
  }
  html_close (sheet->html);
}

/* What can be done to everything; the rest is beside what it is done to. */
static void
show_list (Sheet *sheet)
{
  act_show_links (sheet, ACT_OF_ALL, NULL);
  for (const Act *act = ACTS; act->name != NULL; act++) {
    static const char *const words[] = { [ACT_OF_RUN] = "run",
                                         [ACT_OF_JOB] = "job",
                                         [ACT_OF_ROW] = "row, as table:key",
                                         [ACT_OF_HOLD] = "hold" };
    g_autofree char *id = g_strconcat ("what-", act->name, NULL);
    if (act->of == ACT_OF_ALL)
      continue;
    html_open (sheet->html, HTML_FORM);
    html_set (sheet->html, HTML_AT_METHOD, "get");
    html_set (sheet->html, HTML_AT_ACTION, ACT_PATH + 1);
    add_hidden (sheet, "do", act->name);
    html_open (sheet->html, HTML_LABEL);
    html_set (sheet->html, HTML_AT_FOR, id);
    html_add (sheet->html, words[act->of]);
    html_close (sheet->html);
    html_open (sheet->html, HTML_INPUT);
    html_set (sheet->html, HTML_AT_ID, id);
    html_set (sheet->html, HTML_AT_NAME, "what");
    html_close (sheet->html);
    html_text (sheet->html, HTML_BUTTON, act->button);
    html_close (sheet->html);
  }
}

gboolean
view_show_act (Sheet *sheet, GError **error)
{
  const char *name = sheet_filter (sheet, "do"), *what = sheet_filter (sheet, "what");
  const Act *act = act_find (name);
  g_auto (ActSeen) seen = { 0 };
  html_open (sheet->html, HTML_SECTION);
  html_set (sheet->html, HTML_AT_ID, "act");
  if (!act_is_on ())
    html_text (sheet->html, HTML_P, "This page only reads: [http] actions is off.");
  else if (act == NULL && name == NULL)
    show_list (sheet);
  else if (act == NULL) {
    sheet->status = 404;
    html_text (sheet->html, HTML_P, "There is no such action.");
  } else if (!act_look (act, what, sheet->pg, &seen, error))
    return FALSE;
  else {
    html_text (sheet->html, HTML_H2, act->button);
    html_text (sheet->html, HTML_P, seen.missing != NULL ? seen.missing : act->says);
    if (seen.missing == NULL || seen.run != NULL)
      show_seen (sheet, act, what, &seen);
    if (seen.missing == NULL)
      show_form (sheet, act, what, &seen);
  }
  html_close (sheet->html);
  return TRUE;
}
