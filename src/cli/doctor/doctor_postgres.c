#include "cli/doctor/doctor.h"

#include "base/clock.h"
#include "cli/grants.h"
#include "engine/job/in_force.h"
#include "engine/ledger/schema.h"

#define SQL "src/cli/doctor/sql/"

gint64
doctor_skew_us (const Doctor *doctor)
{
  return config_int (doctor->cli->config, "clock", "max_skew_s") * G_USEC_PER_SEC;
}

static gboolean
ask_database_now (Doctor *doctor, gint64 *now_us)
{
  g_autoptr (GError) error = NULL;
  gboolean answered
      = pg_begin_read_only (doctor->pg, &error) && pg_now_us (doctor->pg, now_us, &error);
  pg_rollback (doctor->pg);
  if (!answered)
    doctor_error (doctor, CODE_POSTGRES, "clock", doctor->grants, "could not be checked: %s",
                  error->message);
  return answered;
}

/* Compares the database's time with the middle of the time that the statement took. */
static void
compare_clocks (Doctor *doctor)
{
  gint64 before_us = clock_now_us (), database_us;
  gboolean answered = ask_database_now (doctor, &database_us);
  gint64 after_us = clock_now_us ();
  if (!answered)
    return;
  gint64 off_us = database_us - (before_us + after_us) / 2;
  gint64 unsure_us = (after_us - before_us) / 2;
  if (ABS (off_us) > doctor_skew_us (doctor) + unsure_us)
    doctor_warn (
        doctor, "clock", "timedatectl set-ntp true",
        "the database's clock is %.1f s %s of this machine's: due times use the database's clock, log lines this machine's",
        (double)ABS (off_us) / G_USEC_PER_SEC, off_us > 0 ? "ahead" : "behind");
  else
    doctor_ok (doctor, "clock", "within %.1f s of the database's",
               (double)doctor_skew_us (doctor) / G_USEC_PER_SEC);
}

/* Compares the clocks of the daemons, which can run on other machines. */
static void
compare_daemons (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_int (values, "most_ms", doctor_skew_us (doctor) / 1000);
  g_autoptr (PgRows) rows = doctor_ask (doctor, "daemons' clocks", SQL "clocks.sql", values);
  if (rows == NULL)
    return;
  guint wrong = 0;
  g_autofree char *daemons = doctor_count (rows_count (rows), "daemon");
  for (int i = 0; i < rows_count (rows); i++)
    if (rows_bool (rows, i, "off")) {
      wrong++;
      doctor_warn (
          doctor, "daemons' clocks", "timedatectl set-ntp true",
          "the clock of the daemon on %s (session %s) is %.1f s %s the database's: set it there",
          rows_text (rows, i, "place"), rows_text (rows, i, "pid"),
          g_ascii_strtod (rows_text (rows, i, "seconds"), NULL),
          rows_bool (rows, i, "ahead") ? "ahead of" : "behind");
    }
  if (wrong == 0)
    doctor_ok (doctor, "daemons' clocks", "%s, within %.1f s of the database's", daemons,
               (double)doctor_skew_us (doctor) / G_USEC_PER_SEC);
}

/* Learns the role and the owner, so that remedies can be copied. */
static void
learn_roles (Doctor *doctor)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "app_schema", config_text (doctor->cli->config, "postgres", "app_schema"));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "PostgreSQL", "src/cli/sql/owners.sql", values);
  if (rows == NULL)
    return;
  g_free (doctor->grants);
  doctor->owner = g_strdup (rows_text (rows, 0, "owner"));
  doctor->role = g_strdup (rows_text (rows, 0, "quoted_role"));
  doctor->ours = g_strdup (rows_text (rows, 0, "ours"));
  doctor->grants = grants_command (doctor->cli->config, rows_text (rows, 0, "owner"),
                                   rows_text (rows, 0, "role"));
}

static void
say_away (Doctor *doctor, const GError *error)
{
  g_autofree char *database = grants_database (doctor->cli->config, NULL),
                  *quoted = g_shell_quote (database);
  gboolean named = *config_text (doctor->cli->config, "postgres", "url") != '\0';
  g_autofree char *remedy = named ? g_strdup_printf ("psql %s -c 'SELECT 1'", quoted)
                                  : g_strdup_printf ("export PRUNED_POSTGRES_URL=%s", database);
  doctor_error (doctor, CODE_POSTGRES, "PostgreSQL", remedy, "%s", error->message);
}

static void
say_read_only (Doctor *doctor)
{
  g_autofree char *remedy
      = grants_psql (doctor->cli->config, NULL, "SHOW default_transaction_read_only");
  doctor_error (
      doctor, CODE_POSTGRES, "PostgreSQL", remedy,
      "it is read-only: a standby, or default_transaction_read_only is on for this role or database"
      " (then `sessions` names who sets it); nothing is done until that ends");
}

/* A next tick beyond the schedule was set while a clock was ahead. The job has no tick until then.
 */
static void
check_schedules (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "schedules", SQL "schedules.sql", NULL);
  gboolean well = rows != NULL;
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const Job *job = jobs_find (doctor->cli->jobs, rows_text (rows, i, "job"));
    gint64 regular_us = job != NULL ? in_force_next (job, rows_int (rows, i, "now_us")) : -1;
    g_autofree char *schedule
        = regular_us < 0
              ? NULL
              : g_strdup_printf ("%s %s",
                                 config_job_text (doctor->cli->config, job->name, "schedule"),
                                 config_job_text (doctor->cli->config, job->name, "time_zone"));
    if (regular_us < 0 || rows_int (rows, i, "next_us") <= regular_us
        || !g_str_equal (schedule, rows_text (rows, i, "schedule")))
      continue;
    g_autofree char *regular = clock_format (regular_us);
    well = FALSE;
    doctor_warn (
        doctor, "schedules", "pruned run",
        "the next tick of %s is set to %s, beyond its next regular time %s: a clock was ahead; a running daemon corrects it"
        " within a minute",
        job->name, rows_text (rows, i, "next_at"), regular);
  }
  if (well)
    doctor_ok (doctor, "schedules", "no next tick lies beyond its schedule");
}

static void
check_days (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "recorded days", SQL "days_ahead.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *name = rows_text (rows, i, "name");
    gboolean used = rows_bool (rows, i, "used");
    g_autofree char *sql = g_strdup_printf ("%s pruned.%s", used ? "TABLE" : "DROP TABLE", name);
    g_autofree char *remedy = grants_psql (doctor->cli->config, doctor->owner, sql);
    doctor_warn (
        doctor, "recorded days", remedy,
        "pruned.%s belongs to a day in the future: the database's clock was wrong when it was created%s",
        name, used ? ", and rows were recorded with that time" : "; it is empty");
  }
  if (rows != NULL && rows_count (rows) == 0)
    doctor_ok (doctor, "recorded days", "no day of audit and archive is in the future");
}

/* What a role, a database or the server sets for our sessions, and no transaction can set itself.
 */
static void
check_session (Doctor *doctor)
{
  g_autoptr (PgRows) rows
      = doctor_ask (doctor, "sessions", "src/cli/sql/session_settings.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *name = rows_text (rows, i, "name"), *value = rows_text (rows, i, "value"),
               *why = rows_text (rows, i, "why");
    g_autofree char *remedy
        = grants_psql (doctor->cli->config, "postgres", rows_text (rows, i, "remedy"));
    if (rows_bool (rows, i, "wrong"))
      doctor_error (doctor, CODE_POSTGRES, "sessions", remedy, "%s is %s: %s", name, value, why);
    else
      doctor_warn (doctor, "sessions", remedy, "%s is %s: %s", name, value, why);
  }
  if (rows != NULL && rows_count (rows) == 0)
    doctor_ok (doctor, "sessions",
               "no setting of role, database or server changes what is promised");
}

static void
check_schema (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  doctor->migrated = schema_check (doctor->pg, &error);
  if (doctor->migrated)
    doctor_ok (doctor, "schema", "schema pruned is at step %d", schema_wanted ());
  else
    doctor_error (doctor, CODE_POSTGRES, "schema", "pruned migrate", "%s", error->message);
}

/* With a synchronous standby away, no commit ends, and queries are answered all the same. */
static void
check_commits (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "commits", SQL "commits.sql", NULL);
  if (rows == NULL)
    return;
  const char *names = rows_text (rows, 0, "names");
  g_autofree char *waiting = doctor_count (rows_int (rows, 0, "waiting"), "session"),
                  *look = grants_psql (doctor->cli->config, doctor->owner,
                                       "SELECT application_name, state, sync_state FROM "
                                       "pg_stat_replication");
  if (rows_int (rows, 0, "waiting") == 0 && (*names == '\0' || !rows_bool (rows, 0, "away")))
    doctor_ok (doctor, "commits", "%s",
               *names == '\0' ? "they wait for no standby" : "none waits for a standby now");
  else if (rows_int (rows, 0, "waiting") == 0)
    doctor_error (
        doctor, CODE_POSTGRES, "commits", look,
        "no standby of synchronous_standby_names (%s) is connected: every commit will wait", names);
  else
    doctor_error (
        doctor, CODE_POSTGRES, "commits", look,
        "%s of this service waits with its commit for a synchronous standby (%s), for %s: "
        "bring the standby back, or take it out of synchronous_standby_names. What "
        "commands have asked for takes effect then",
        waiting, names, rows_text (rows, 0, "age"));
}

void
doctor_postgres (Doctor *doctor)
{
  g_autoptr (GError) error = NULL;
  doctor_ok (doctor, "configuration",
             "it was read; `pruned config` shows where each setting comes from");
  doctor->pg = cli_pg_bare (doctor->cli, &error);
  if (doctor->pg == NULL) {
    say_away (doctor, error);
    return;
  }
  int version = pg_server_version (doctor->pg);
  if (pg_is_read_only (doctor->pg))
    say_read_only (doctor);
  else
    doctor_ok (doctor, "PostgreSQL", "it answers, version %d.%d", version / 10000, version % 10000);
  if (pg_is_unchecked (doctor->pg))
    doctor_warn (doctor, "encoding", NULL, "%s; move it into a database with the encoding UTF8",
                 PG_UNCHECKED);
  learn_roles (doctor);
  check_schema (doctor);
  check_session (doctor);
  check_commits (doctor);
  compare_clocks (doctor);
  compare_daemons (doctor);
  if (doctor->migrated) {
    check_schedules (doctor);
    check_days (doctor);
  }
}
