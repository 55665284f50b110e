/* The checks of jobs when a daemon loads them: their statements are explained, nothing is read. */
#include "cli/check/check.h"

#include "base/log_queue.h"
#include "engine/job/sentence/complete.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIME_MS 20000
#define LAST_LINES_MS 250

/* `PLACE: why`. */
static void
refuse (const Job *job, const CheckFinding *finding, GError **error)
{
  g_autofree char *line = finding->line > 0 ? g_strdup_printf (":%d", finding->line) : NULL;
  g_set_error (error, PRUNED_ERROR, PRUNED_FATAL, "%s%s: %s",
               finding->file != NULL ? finding->file : job->folder, line != NULL ? line : "",
               finding->detail);
}

void
check_say (const CheckFinding *finding)
{
  log_warning ("Check of a job found a problem", "job", finding->job, "check", finding->check,
               "detail", finding->detail, "remedy",
               finding->remedy != NULL ? finding->remedy : "pruned check");
}

/* FALSE: JOB is refused. */
static gboolean
load_one (Check *check, const Job *job, gboolean sure, GError **error)
{
  guint before = check->findings->len;
  check->job = job;
  check->away = FALSE;
  if (job_only_starts (job)) /* what its jobs lack, it waits for */
    return TRUE;
  if (job->sentence == NULL || check_complete (check)) {
    check_statements (check);
    check_form (check);
    check_folder (check);
    if (check_can_run (check))
      check_access (check);
    check_lost (check);
    if (check_errors (check) == 0)
      check_cursor_nulls (check);
  }
  for (guint i = before; i < check->findings->len; i++) {
    const CheckFinding *finding = check->findings->pdata[i];
    if (finding->code == CODE_CONFIG || (finding->code != CODE_OK && sure && check->away)) {
      refuse (job, finding, error);
      return FALSE;
    }
  }
  for (guint i = before; i < check->findings->len; i++)
    if (!g_str_equal (((const CheckFinding *)check->findings->pdata[i])->level, "ok"))
      check_say (check->findings->pdata[i]);
  return TRUE;
}

void
check_load (Cli *cli, Pg *pg, const GPtrArray *jobs, gboolean sure, GError **errors)
{
  g_auto (Check) check;
  check_begin (&check, cli, pg);
  check_ahead (&check, jobs);
  for (guint i = 0; i < jobs->len; i++)
    (void)!load_one (&check, jobs->pdata[i], sure, &errors[i]);
}

/* --- at the start ----------------------------------------------------------------------------- */

/* Statements and sentences stay in memory for as long as a process lives, and the daemon may never
 * need most of them: another process checks, and tells which jobs are refused, a line each, and the
 * job's name before a tab. */

static GPtrArray *
own_of (const Jobs *jobs)
{
  GPtrArray *own = g_ptr_array_new ();
  for (guint i = 0; i < jobs_count (jobs); i++)
    if (!jobs_at (jobs, i)->built_in)
      g_ptr_array_add (own, jobs_at (jobs, i));
  return own;
}

/* Nothing is prepared or set: a pooler in transaction mode would give that to other connections. */
static Pg *
connect_once (Cli *cli)
{
  PgSettings settings
      = { .url = config_text (cli->config, "postgres", "url"),
          .app_schema = config_text (cli->config, "postgres", "app_schema"),
          .extension_schemas = config_text (cli->config, "postgres", "extension_schemas"),
          .name = "pruned check" };
  Pg *pg = pg_new (&settings);
  if (pg_ensure (pg, NULL))
    return pg;
  pg_free (pg); /* nothing is refused; the daemon says that PostgreSQL is away */
  return NULL;
}

static void
tell (int fd, const char *job, const char *why)
{
  g_autofree char *line = g_strdup_printf ("%s\t%s\n", job, why);
  const char *p = line;
  for (gssize n = 0, left = (gssize)strlen (line); left > 0 && n >= 0; left -= n, p += n)
    n = write (fd, p, (gsize)left);
}

/* In the other process. Its lines wait for no reader either. */
static void
check_all (Cli *cli, const GPtrArray *jobs, int fd)
{
  log_queue_begin ();
  g_autoptr (Pg) pg = connect_once (cli);
  if (pg == NULL)
    return;
  g_autofree GError **errors = g_new0 (GError *, jobs->len);
  check_load (cli, pg, jobs, FALSE, errors);
  for (guint i = 0; i < jobs->len; i++)
    if (errors[i] != NULL)
      tell (fd, ((const Job *)jobs->pdata[i])->name, errors[i]->message);
}

/* What it tells within TIME_MS; LATE: not all. */
static char *
listen_to (int fd, gboolean *late)
{
  GString *text = g_string_new (NULL);
  char bytes[4096];
  gint64 until_us = g_get_monotonic_time () + TIME_MS * 1000;
  for (;;) {
    GPollFD ready = { .fd = fd, .events = G_IO_IN };
    gint64 left_ms = (until_us - g_get_monotonic_time ()) / 1000;
    int answers = left_ms > 0 ? g_poll (&ready, 1, (gint)left_ms) : 0;
    *late = answers == 0;
    if (*late)
      break;
    if (answers < 0)
      continue; /* a signal */
    gssize n = read (fd, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR))
      break;
    g_string_append_len (text, bytes, MAX (n, 0));
  }
  return g_string_free (text, FALSE);
}

/* A JobsCheck. DATA: job -> why it is refused. */
static void
note_told (const GPtrArray *jobs, GError **errors, gpointer data)
{
  for (guint i = 0; i < jobs->len; i++) {
    const char *why = g_hash_table_lookup (data, ((const Job *)jobs->pdata[i])->name);
    if (why != NULL)
      errors[i] = g_error_new_literal (PRUNED_ERROR, PRUNED_FATAL, why);
  }
}

static void
take (Jobs *jobs, const char *told)
{
  g_autoptr (GHashTable) refused = g_hash_table_new (g_str_hash, g_str_equal);
  g_auto (GStrv) lines = g_strsplit (told, "\n", -1);
  for (char **line = lines; *line != NULL && line[1] != NULL; line++) {
    char *tab = strchr (*line, '\t');
    *tab = '\0';
    g_hash_table_insert (refused, *line, tab + 1);
  }
  if (g_hash_table_size (refused) > 0)
    jobs_check (jobs, note_told, refused);
}

gboolean
check_loaded (Cli *cli, gboolean (*begin) (GError **error), GError **error)
{
  int ends[2];
  gboolean late = FALSE;
  g_autofree char *told = NULL;
  g_autoptr (GPtrArray) own = own_of (cli->jobs);
  if (own->len > 0 && pipe2 (ends, O_CLOEXEC) == 0) {
    pid_t child = fork ();
    if (child == 0) {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      check_all (cli, own, ends[1]);
      log_queue_drain (LAST_LINES_MS);
      _exit (0);
    }
    close (ends[1]);
    told = child > 0 ? listen_to (ends[0], &late) : NULL;
    close (ends[0]);
    if (child > 0) {
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
    }
  }
  if (!begin (error))
    return FALSE;
  if (late)
    log_warning ("Not all jobs could be checked in time", "remedy", "pruned check");
  take (cli->jobs, told != NULL ? told : "");
  return TRUE;
}
