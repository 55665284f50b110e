#include "cli/gentle.h"

#include "base/plural.h"
#include "engine/job/job_tables.h"
#include "engine/step/throttle_look.h"

#define SHOWN 5 /* tables on the screen */

static void
add_deleted (const Job *job, const char *table, const char *privilege, gpointer data)
{
  (void)job;
  if (g_str_equal (privilege, "DELETE"))
    array_add (data, table);
}

PgValues *
gentle_values (const Cli *cli)
{
  GString *tables = array_new ();
  for (guint i = 0; i < jobs_count (cli->jobs); i++)
    job_tables_each (jobs_at (cli->jobs, i), add_deleted, tables);
  PgValues *values = pg_values_new ();
  pg_values_take (values, "relation", array_take (tables));
  pg_values_set (values, "app_schema", config_text (cli->config, "postgres", "app_schema"));
  return values;
}

static json_t *
waiting_of (const PgRows *rows)
{
  json_t *waiting = json_array ();
  for (int i = 0; i < rows_count (rows); i++)
    json_array_append_new (waiting, json_pack ("{s:s, s:I, s:s}", "job", rows_text (rows, i, "job"),
                                               "runs", (json_int_t)rows_int (rows, i, "runs"),
                                               "reason", rows_text (rows, i, "reason")));
  return waiting;
}

static json_t *
passed_of (const ThrottleLook *look)
{
  json_t *passed = json_object ();
  for (guint i = 0; i < look->passed->len; i++) {
    const ThrottlePassed *one = &g_array_index (look->passed, ThrottlePassed, i);
    json_object_set_new (passed, throttle_words[one->reason], json_string (one->text));
  }
  return passed;
}

static json_t *
hidden_of (const ThrottleLook *look)
{
  json_t *hidden = json_array ();
  for (ThrottleReason i = 0; i < THROTTLE_N; i++)
    if (look->hidden & (1u << i))
      json_array_append_new (hidden, json_string (throttle_words[i]));
  return hidden;
}

static json_t *
dead_of (const PgRows *rows)
{
  json_t *tables = json_array ();
  for (int i = 0; i < rows_count (rows); i++) {
    json_t *one = json_object ();
    json_object_set_new (one, "table", json_string (rows_text (rows, i, "table")));
    json_object_set_new (one, "dead", json_integer (rows_int (rows, i, "dead")));
    json_object_set_new (one, "live", json_integer (rows_int (rows, i, "live")));
    json_object_set_new (one, "last_vacuum",
                         cell_from_text (CELL_TIME, rows_text (rows, i, "last_vacuum")));
    json_array_append_new (tables, one);
  }
  return tables;
}

static json_t *
throttle_of_look (const ThrottleLook *look, const PgRows *waiting, const char *role)
{
  json_t *throttle = json_object ();
  json_object_set_new (throttle, "waiting", waiting_of (waiting));
  json_object_set_new (throttle, "passed", passed_of (look));
  json_object_set_new (throttle, "hidden", hidden_of (look));
  json_object_set_new (throttle, "role", role != NULL ? json_string (role) : json_null ());
  return throttle;
}

char *
gentle_role (Pg *pg)
{
  g_autoptr (PgRows) rows = pg_run_alone (pg, "src/cli/sql/daemons_role.sql", NULL, NULL);
  return rows != NULL && rows_count (rows) > 0 ? g_strdup (rows_text (rows, 0, "role")) : NULL;
}

void
gentle_ask (Cli *cli, Pg *pg, json_t *found)
{
  g_autoptr (ThrottleEye) eye = throttle_eye_new (cli->jobs);
  g_autoptr (PgValues) values = gentle_values (cli);
  g_autofree char *role = gentle_role (pg);
  throttle_eye_of (eye, role);
  g_autoptr (ThrottleLook) look = throttle_eye_look (eye, pg, NULL);
  g_autoptr (PgRows) waiting = pg_run_alone (pg, "src/cli/sql/throttled.sql", NULL, NULL);
  g_autoptr (PgRows) dead = pg_run_alone (pg, "src/cli/sql/dead_rows.sql", values, NULL);
  if (look != NULL && waiting != NULL)
    json_object_set_new (found, "throttle", throttle_of_look (look, waiting, role));
  if (dead != NULL)
    json_object_set_new (found, "dead_rows", dead_of (dead));
}

static void
say_dead (Output *out, const json_t *tables)
{
  json_t *one;
  size_t i;
  int said = 0;
  json_array_foreach ((json_t *)tables, i, one) {
    const char *at = json_string_value (json_object_get (one, "last_vacuum"));
    gint64 dead = json_integer_value (json_object_get (one, "dead"));
    if (dead > 0 && said++ < SHOWN)
      output_titled (out, said == 1 ? "Dead rows" : "", "%s %" G_GINT64_FORMAT ", vacuum %s",
                     json_string_value (json_object_get (one, "table")), dead,
                     at != NULL ? at : "never");
  }
}

void
gentle_say (Output *out, const json_t *found)
{
  const json_t *throttle = json_object_get (found, "throttle");
  const char *reason;
  json_t *text, *one;
  size_t i;
  json_object_foreach (json_object_get (throttle, "passed"), reason, text)
    output_titled (out, "Throttle", "%s: %s", reason, json_string_value (text));
  json_array_foreach (json_object_get (throttle, "waiting"), i, one)
    output_titled (out, "Waiting", "%s, %" JSON_INTEGER_FORMAT " %s: %s",
                   json_string_value (json_object_get (one, "job")),
                   json_integer_value (json_object_get (one, "runs")),
                   plural (json_integer_value (json_object_get (one, "runs")), "run", "runs"),
                   json_string_value (json_object_get (one, "reason")));
  say_dead (out, json_object_get (found, "dead_rows"));
}
