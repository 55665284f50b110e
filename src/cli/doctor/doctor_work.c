#include "cli/doctor/doctor.h"

#include "base/plural.h"
#include "cli/gentle.h"
#include "cli/grants.h"
#include "engine/clock/processes.h"
#include "engine/job/in_force.h"
#include "kafka/unpack.h"

#include <string.h>

#define SQL "src/cli/doctor/sql/"
#define TWO_WEEKS_MS "1209600000"

static void
check_runs (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "runs", SQL "runs.sql", NULL);
  if (rows == NULL)
    return;
  gint64 overdue = rows_int (rows, 0, "overdue"), dead = rows_int (rows, 0, "dead");
  g_autofree char *late = doctor_count (overdue, "run"), *ended = doctor_count (dead, "run");
  if (overdue > 0)
    doctor_warn (
        doctor, "runs overdue", "pruned status",
        "%s should have begun, the oldest %s %s ago: is a daemon running, and are its lanes moving?",
        late, rows_text (rows, 0, "job"), rows_text (rows, 0, "age"));
  else
    doctor_ok (doctor, "runs overdue", "none");
  if (dead > 0)
    doctor_warn (doctor, "dead runs", "pruned runs --state dead",
                 "%s dead, all attempts used up: `pruned retry ID`, or `pruned discard ID`", ended);
  else
    doctor_ok (doctor, "dead runs", "none");
  if (rows_text (rows, 0, "stopped") != NULL)
    doctor_warn (doctor, "stopped", "pruned go", "everything is stopped since %s",
                 rows_text (rows, 0, "stopped"));
  else
    doctor_ok (doctor, "stopped", "no");
  g_autofree char *held = doctor_count (rows_int (rows, 0, "held"), "run");
  if (rows_int (rows, 0, "held") > 0)
    doctor_warn (doctor, "held runs", "pruned runs --state held",
                 "%s held: %s. `pruned approve ID`, or `pruned discard ID`", held,
                 rows_text (rows, 0, "why"));
  else
    doctor_ok (doctor, "held runs", "none");
  if (rows_text (rows, 0, "paused") != NULL)
    doctor_warn (doctor, "paused", rows_text (rows, 0, "resume"),
                 "paused: %s: their runs wait until the jobs are resumed",
                 rows_text (rows, 0, "paused"));
  else
    doctor_ok (doctor, "paused", "no job");
}

static gboolean
lacks_right (const char *reason)
{
  return strstr (reason, "row-level")
             == NULL /* the same SQLSTATE, but no grant helps, and it is a finding of its own */
         && (strstr (reason, "permission denied") != NULL || strstr (reason, "42501") != NULL);
}

/* Other checks find what is missing; this one shows the errors of runs. */
static void
check_blocked (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "blocked jobs", SQL "blocked.sql", NULL);
  g_autofree char *daemon = gentle_role (doctor->pg), /* it was the daemon that lacked the right */
      *grants = daemon != NULL ? grants_command (doctor->cli->config, doctor->owner, daemon)
                               : g_strdup (doctor->grants);
  guint n = 0;
  if (rows == NULL)
    return;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *job = rows_text (rows, i, "job"), *reason = rows_text (rows, i, "reason");
    g_autofree char *again = g_strdup_printf ("pruned retry %s", rows_text (rows, i, "run_id"));
    if (rows_bool (rows, i, "paused"))
      continue; /* a finding of the check of paused jobs */
    n++;
    doctor_error (
        doctor, CODE_NOT_FOUND, "blocked jobs", lacks_right (reason) ? grants : again,
        "job %s has been blocked for %s and does nothing: %s (run %s; it is retried within minutes once that is fixed, or at once by the command)",
        job, rows_text (rows, i, "age"), reason, rows_text (rows, i, "run_id"));
  }
  if (n == 0)
    doctor_ok (doctor, "blocked jobs", rows_count (rows) == 0 ? "none" : "none but paused ones");
}

/* Kafka has other messages than those that were read. TRUE: there are findings. */
static gboolean
say_others (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "lost messages", SQL "other_messages.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *remedy = doctor_alter_topic (doctor, rows_text (rows, i, "topic"),
                                                  "unclean.leader.election.enable=false");
    doctor_warn (
        doctor, "lost messages", remedy,
        "topic %s, partition %s: from offset %s to %s Kafka has other messages than were read from it, or none (found %s ago): a "
        "replica that lagged behind became the leader, the topic was created again, or PostgreSQL was set back. The new messages are"
        " read; send ticks and events of that time again that have no run",
        rows_text (rows, i, "topic"), rows_text (rows, i, "partition"),
        rows_text (rows, i, "first_offset"), rows_text (rows, i, "next_offset"),
        rows_text (rows, i, "age"));
  }
  return rows == NULL || rows_count (rows) > 0;
}

/* Batches that no process could unpack. TRUE: there are findings. */
static gboolean
say_unread (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "lost messages", SQL "unread_batches.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    const char *topic = rows_text (rows, i, "topic"), *partition = rows_text (rows, i, "partition");
    const gint64 first = rows_int (rows, i, "first_offset"),
                 last = rows_int (rows, i, "last_offset");
    g_autofree char *remedy
        = g_strdup_printf ("kcat -C -t %s -p %s -o %" G_GINT64_FORMAT " -c %" G_GINT64_FORMAT,
                           topic, partition, first, last - first + 1);
    doctor_error (
        doctor, CODE_KAFKA, "lost messages", remedy,
        "topic %s, partition %s: messages in offsets %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
        " were passed over (the last %s ago): a compressed batch is damaged, or comes to more than %d MB."
        " Find out who sent it, read it where there is memory for it, and send again what is meant",
        topic, partition, first, last, rows_text (rows, i, "age"), UNPACK_BATCH_MB);
  }
  return rows == NULL || rows_count (rows) > 0;
}

/* Messages that Kafka dropped before they were read: no other check finds them. */
static void
check_lost (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "lost messages", SQL "lost_messages.sql", NULL);
  for (int i = 0; rows != NULL && i < rows_count (rows); i++) {
    g_autofree char *remedy
        = doctor_alter_topic (doctor, rows_text (rows, i, "topic"), "retention.ms=" TWO_WEEKS_MS);
    doctor_warn (
        doctor, "lost messages", remedy,
        "topic %s, partition %s: Kafka dropped messages between offset %s and %s before they were read (found %s ago): send those "
        "ticks and events again, and keep messages longer than the daemons can be down",
        rows_text (rows, i, "topic"), rows_text (rows, i, "partition"),
        rows_text (rows, i, "first_offset"), rows_text (rows, i, "next_offset"),
        rows_text (rows, i, "age"));
  }
  gboolean others = say_others (doctor) | say_unread (doctor);
  if (rows != NULL && rows_count (rows) == 0 && !others)
    doctor_ok (doctor, "lost messages", "none within a day");
}

static void
check_quarantine (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "quarantine", SQL "quarantine.sql", NULL);
  if (rows == NULL)
    return;
  g_autofree char *parked = doctor_count (rows_int (rows, 0, "parked"), "item"),
                  *others = doctor_count (rows_int (rows, 0, "others"), "item");
  if (rows_int (rows, 0, "parked") > 0)
    doctor_warn (
        doctor, "quarantine", "pruned quarantine list",
        "%s parked: retried once in park_retry_days (files in a store: once a day), or at once "
        "by `pruned quarantine retry`",
        parked);
  else
    doctor_ok (doctor, "quarantine", "nothing is parked; %s will be retried automatically", others);
}

static void
check_bloat (Doctor *doctor)
{
  g_autoptr (PgRows) rows = doctor_ask (doctor, "bloat", SQL "bloat.sql", NULL);
  if (rows == NULL)
    return;
  for (int i = 0; i < rows_count (rows); i++) {
    g_autofree char *dead = doctor_count (rows_int (rows, i, "dead"), "dead row"),
                    *live = doctor_count (rows_int (rows, i, "live"), "live row");
    if (rows_bool (rows, i, "bloated")) {
      g_autofree char *sql = g_strdup_printf ("VACUUM (ANALYZE) %s", rows_text (rows, i, "name"));
      g_autofree char *remedy = grants_psql (doctor->cli->config, doctor->owner, sql);
      doctor_warn (doctor, "bloat", remedy,
                   "%s has %s beside %s (%s); the oldest open transaction is %s old",
                   rows_text (rows, i, "name"), dead, live, rows_text (rows, i, "size"),
                   rows_text (rows, i, "oldest"));
    } else
      doctor_ok (doctor, "bloat", "%s: %s, %s (%s)", rows_text (rows, i, "name"), dead, live,
                 rows_text (rows, i, "size"));
  }
}

/* Finds workers of the class that a job's label names, and sessions that look like background
 * workers and write to the same tables. */
static void
check_application (Doctor *doctor)
{
  GString *workers = array_new (), *tables = array_new ();
  for (guint i = 0; i < jobs_count (doctor->cli->jobs); i++) {
    const Job *job = jobs_at (doctor->cli->jobs, i);
    if (!in_force_of (job)->enabled)
      continue;
    if (job->labels[0] != NULL)
      array_add (workers, job->labels[0]);
    if (job->table != NULL)
      array_add (tables, job->table);
  }
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "worker", array_take (workers));
  pg_values_take (values, "relation", array_take (tables));
  g_autoptr (PgRows) rows = doctor_ask (doctor, "application's workers", SQL "workers.sql", values);
  if (rows == NULL)
    return;
  gboolean found = FALSE;
  for (int i = 0; i < rows_count (rows); i++) {
    const char *worker = rows_text (rows, i, "worker");
    if (worker == NULL)
      continue;
    found = TRUE;
    g_autofree char *remedy = g_strdup_printf (
        "gitlab-rails runner 'Sidekiq::Cron::Job.all.select { |job| %%w[%s].include?(job.klass) }.each(&:disable!)'",
        rows_text (rows, i, "classes"));
    doctor_warn (doctor, "application's workers", remedy,
                 "session %s of '%s' does the same work (%s): %s", rows_text (rows, i, "pid"),
                 rows_text (rows, i, "name"), worker, rows_text (rows, i, "query"));
  }
  g_autofree char *others = doctor_count (rows_int (rows, 0, "sessions"), "other session"),
                  *hidden = doctor_count (rows_int (rows, 0, "hidden"), "session");
  if (!found)
    doctor_ok (doctor, "application's workers",
               "none among %s of this database (application_name and last statement, as"
               " pg_stat_activity shows them now; %s %s theirs from this role)",
               others, hidden, plural (rows_int (rows, 0, "hidden"), "hides", "hide"));
}

void
doctor_work (Doctor *doctor)
{
  if (doctor->pg == NULL)
    return;
  if (doctor->migrated) {
    check_runs (doctor);
    check_blocked (doctor);
    check_lost (doctor);
    check_quarantine (doctor);
    doctor_holds (doctor);
    doctor_busy (doctor);
    doctor_processes (doctor);
    doctor_night (doctor);
    check_bloat (doctor);
  }
  check_application (doctor);
}
