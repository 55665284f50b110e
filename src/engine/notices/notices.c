#include "engine/notices/notices.h"

#include "base/clock.h"
#include "base/cut.h"
#include "base/json.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/notices/notice_address.h"
#include "engine/notices/notice_form.h"
#include "engine/job/in_force.h"
#include "engine/service/wake.h"
#include "engine/view/view.h"
#include "http/http.h"

#include <pthread.h>
#include <string.h>

#define SQL "src/engine/notices/sql/"
#define QUICK "SET LOCAL statement_timeout = '2s'"
#define SHARE 20 /* the night is asked at most 1/SHARE of the time */
#define LOOK_US (5 * G_USEC_PER_SEC)
#define EVERY_US G_USEC_PER_SEC
#define AWAY_US (10 * G_USEC_PER_SEC)
#define ANSWER_MS 5000   /* of PostgreSQL */
#define WITHIN_MS 10000L /* less than the minute for which a notice is claimed */
#define SAID_BYTES 200   /* of an answer */

/* States of a job for which somebody is needed. What can mend itself is waited for. */
static const struct {
  const char *state, *kind, *run; /* run: the column that has it; NULL: it is about none */
  int wait_s;
} KINDS[] = {
  { "held", "held", "held_run_id", 0 },
  { "dead", "failed", "dead_run_id", 0 },
  { "failing", "failed", NULL, 0 },
  { "less", "failed", NULL, 0 },
  { "retrying", "failed", NULL, 300 },
  { "blocked", "failed", NULL, 300 },
  { "late", "overdue", NULL, 300 },
  { "overdue", "overdue", NULL, 300 },
  { "behind", "overdue", NULL, 300 },
  { "no process", "overdue", NULL, 300 },
  { "not taken up", "overdue", NULL, 300 },
  { NULL, "overdue", NULL, 0 }, /* rows past their deadline */
};

struct _Notices {
  const Config *config;
  Pg *pg;
  Wake *wake; /* stops the thread */
  pthread_t thread;
  Http *http;            /* NULL: none was needed yet */
  Night *night;          /* of the settings in force; NULL: not made yet */
  guint number;          /* of the settings that it was made from */
  gint64 rests_until_us; /* monotonic */
  char *key[3];          /* job, kind, run_id of the request under way; NULL: there is none */
  pthread_mutex_t lock;
  gboolean answered; /* under the lock, as the next */
  char *error;       /* NULL: it was told */
};

static void
forget_request (Notices *notices)
{
  for (guint i = 0; i < G_N_ELEMENTS (notices->key); i++)
    g_clear_pointer (&notices->key[i], g_free);
  g_clear_pointer (&notices->error, g_free);
  notices->answered = FALSE;
}

/* --- what there is to tell -------------------------------------------------------------------- */

typedef struct {
  GString *job, *kind, *run_id, *says, *commands, *wait_s;
} Found;

static void
add (const Found *found, const char *job, const char *kind, const char *run_id, const char *says,
     const char *const *commands, int wait_s)
{
  g_autoptr (json_t) list = json_array ();
  for (; *commands != NULL; commands++)
    json_array_append_new (list, json_string (*commands));
  g_autofree char *text = json_text (list);
  array_add (found->job, job);
  array_add (found->kind, kind);
  array_add (found->run_id, run_id != NULL ? run_id : "");
  array_add (found->says, says);
  array_add (found->commands, text);
  array_add_int (found->wait_s, wait_s);
}

static void
add_night (const Found *found, const PgRows *jobs)
{
  for (int i = 0; i < rows_count (jobs); i++) {
    guint k = 0;
    if (!rows_bool (jobs, i, "needs"))
      continue;
    while (KINDS[k].state != NULL && !g_str_equal (KINDS[k].state, rows_text (jobs, i, "state")))
      k++;
    g_autofree char *says = night_says (jobs, i);
    g_auto (GStrv) commands = night_commands (jobs, i);
    add (found, rows_text (jobs, i, "job"), KINDS[k].kind,
         KINDS[k].run != NULL ? rows_text (jobs, i, KINDS[k].run) : NULL, says,
         (const char *const *)commands, KINDS[k].wait_s);
  }
}

static void
add_readings (const Found *found, const PgRows *readings)
{
  for (int i = 0; i < rows_count (readings); i++) {
    const char *run_id = rows_text (readings, i, "run_id"), *job = rows_text (readings, i, "job");
    if (rows_text (readings, i, "says") == NULL) /* it has not ended */
      continue;
    g_autofree char *says = g_strdup_printf (
                        "the second reading disagrees: %s:%s: %s", rows_text (readings, i, "tab"),
                        rows_text (readings, i, "key"), rows_text (readings, i, "says")),
                    *verify = g_strdup_printf ("pruned verify %s", run_id),
                    *resume = g_strdup_printf ("pruned resume %s", job);
    add (found, job, "disagreed", run_id, says, (const char *const[]){ verify, resume, NULL }, 0);
  }
}

static gboolean
look (Notices *notices, Pg *pg, const Found *found, GError **error)
{
  if (notices->night == NULL || notices->number != in_force_number ()) {
    night_free (notices->night);
    notices->night = view_night (in_force_jobs ());
    notices->number = in_force_number ();
  }
  if (!pg_begin_read_only (pg, error) || !pg_exec (pg, QUICK, error))
    return FALSE;
  g_autoptr (PgRows) jobs = night_ask (pg, notices->night, NULL, error);
  g_autoptr (PgRows) readings = jobs != NULL ? view_ask (pg, VIEW_READINGS, NULL, error) : NULL;
  pg_rollback (pg);
  if (readings == NULL)
    return FALSE;
  add_night (found, jobs);
  add_readings (found, readings);
  return TRUE;
}

static gboolean
look_and_note (Notices *notices, Pg *pg, GError **error)
{
  const gint64 began_us = clock_monotonic_us ();
  if (began_us < notices->rests_until_us)
    return TRUE;
  const Found found
      = { array_new (), array_new (), array_new (), array_new (), array_new (), array_new () };
  const gboolean ok = look (notices, pg, &found, error);
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_take (values, "job", array_take (found.job));
  pg_values_take (values, "kind", array_take (found.kind));
  pg_values_take (values, "run_id", array_take (found.run_id));
  pg_values_take (values, "says", array_take (found.says));
  pg_values_take (values, "commands", array_take (found.commands));
  pg_values_take (values, "wait_s", array_take (found.wait_s));
  g_autoptr (PgRows) put = ok ? pg_run_alone (pg, SQL "put.sql", values, error) : NULL;
  notices->rests_until_us = clock_monotonic_us () + SHARE * (clock_monotonic_us () - began_us);
  return put != NULL;
}

/* --- telling it ------------------------------------------------------------------------------- */

/* Thread: http. A redirect is not followed: who gets a notice is said by the setting alone. */
static void
on_answer (const HttpResponse *answer, gpointer data)
{
  Notices *notices = data;
  g_autofree char *said = cut_text (answer->body, SAID_BYTES),
                  *valid = g_utf8_make_valid (said, -1);
  pthread_mutex_lock (&notices->lock);
  notices->answered = TRUE;
  notices->error
      = answer->status == 0         ? g_strdup_printf ("no answer: %s", answer->error)
        : answer->status / 100 == 2 ? NULL
        : answer->status / 100 == 3
            ? g_strdup_printf ("HTTP status %ld, a redirect: set [notify] url to where it leads",
                               answer->status)
            : g_strdup_printf ("HTTP status %ld: %s", answer->status, valid);
  pthread_mutex_unlock (&notices->lock);
}

/* Nothing of REQUEST is taken. */
static HttpRequest *
request_for (const Config *config, const Notice *notice, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree char *url = notice_address_url (config, &cause),
                  *token = cause == NULL ? notice_address_token (config, &cause) : NULL;
  if (cause != NULL) {
    g_propagate_error (error, g_steal_pointer (&cause));
    return NULL;
  }
  const char *ca_file = config_text (config, "notify", "ca_file");
  HttpRequest *request = g_new0 (HttpRequest, 1);
  *request
      = (HttpRequest){ .method = "POST",
                       .url = g_steal_pointer (&url),
                       .body = notice_form (notice, config_text (config, "notify", "template")),
                       .ca_file = *ca_file != '\0' ? g_strdup (ca_file) : NULL,
                       .timeout_ms = WITHIN_MS };
  request->body_len = strlen (request->body);
  http_add_header (request, g_strdup ("Content-Type: application/json"));
  if (token != NULL)
    http_add_header (request, g_strconcat ("Authorization: Bearer ", token, NULL));
  return request;
}

static gboolean
send (Notices *notices, const PgRows *row, GError **error)
{
  const Config *config = notices->config;
  const Notice notice = { .kind = rows_text (row, 0, "kind"),
                          .job = rows_text (row, 0, "job"),
                          .says = rows_text (row, 0, "says"),
                          .run_id = rows_text (row, 0, "run_id"),
                          .commands = rows_text (row, 0, "commands"),
                          .at = rows_text (row, 0, "at"),
                          .prefix = config_text (config, "topics", "prefix"),
                          .page = config_text (config, "http", "public_url") };
  if (notices->http == NULL && (notices->http = http_new (error)) == NULL)
    return FALSE;
  HttpRequest *request = request_for (config, &notice, error);
  if (request != NULL)
    http_send (notices->http, request, on_answer, notices);
  return request != NULL;
}

/* Whether the request under way was answered. */
static gboolean
has_answer (Notices *notices)
{
  pthread_mutex_lock (&notices->lock);
  const gboolean answered = notices->answered;
  pthread_mutex_unlock (&notices->lock);
  return answered;
}

static gboolean
note_answer (Notices *notices, Pg *pg, GError **error)
{
  g_autoptr (PgValues) values = pg_values_new ();
  pg_values_set (values, "job", notices->key[0]);
  pg_values_set (values, "kind", notices->key[1]);
  pg_values_set (values, "run_id", notices->key[2]);
  pg_values_set (values, "error", notices->error);
  g_autoptr (PgRows) rows = pg_run_alone (pg, SQL "tried.sql", values, error);
  if (rows == NULL)
    return FALSE;
  if (notices->error != NULL)
    log_warning_every (300, "notices", "A notice could not be delivered; will retry",
                       notices->error);
  forget_request (notices);
  return TRUE;
}

static gboolean
tell (Notices *notices, Pg *pg, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (notices->key[0] != NULL && !has_answer (notices))
    return TRUE;
  if (notices->key[0] != NULL && !note_answer (notices, pg, error))
    return FALSE;
  g_autoptr (PgRows) row = pg_run_alone (pg, SQL "claim.sql", NULL, error);
  if (row == NULL || rows_count (row) == 0)
    return row != NULL;
  notices->key[0] = g_strdup (rows_text (row, 0, "job"));
  notices->key[1] = g_strdup (rows_text (row, 0, "kind"));
  notices->key[2] = g_strdup (rows_text (row, 0, "run_id"));
  if (!send (notices, row, &cause)) { /* nothing is under way */
    notices->error = g_strdup (cause->message);
    notices->answered = TRUE;
  }
  return TRUE;
}

/* --- the thread ------------------------------------------------------------------------------- */

static void *
notices_main (void *data)
{
  Notices *notices = data;
  gint64 wait_us = 0;
  pthread_setname_np (pthread_self (), "notices");
  while (wake_sleep (notices->wake, wait_us)) {
    g_autoptr (GError) error = NULL;
    in_force_renew ();
    wait_us = EVERY_US;
    if (look_and_note (notices, notices->pg, &error) && tell (notices, notices->pg, &error))
      continue;
    pg_rollback (notices->pg);
    log_warning_every (60, "notices round", "Notices cannot be looked for; will retry",
                       error->message);
    wait_us = AWAY_US;
  }
  return NULL;
}

static void
clear (Notices *notices)
{
  http_free (notices->http);
  forget_request (notices);
  night_free (notices->night);
  pg_free (notices->pg);
  wake_free (notices->wake);
  pthread_mutex_destroy (&notices->lock);
  g_free (notices);
}

Notices *
notices_start (const Config *config, GError **error)
{
  if (!notice_address_is_set (config))
    return NULL;
  Notices *notices = g_new0 (Notices, 1);
  pthread_mutex_init (&notices->lock, NULL);
  notices->config = config;
  notices->wake = wake_new ();
  notices->pg = pg_new (&(PgSettings){
      config_text (config, "postgres", "url"), config_text (config, "postgres", "app_schema"),
      config_text (config, "postgres", "extension_schemas"),
      config_bool (config, "postgres", "prepare"), "pruned notices", ANSWER_MS });
  if (thread_start (&notices->thread, notices_main, notices, error))
    return notices;
  clear (notices);
  return NULL;
}

void
notices_stop (Notices *notices)
{
  if (notices == NULL)
    return;
  wake_stop (notices->wake);
  pthread_join (notices->thread, NULL);
  clear (notices);
}
