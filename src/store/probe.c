#include "store/probe.h"

#include "http/http.h"
#include "store/s3_error.h"
#include "store/s3_request.h"
#include "store/s3_xml.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define ABSENT "pruned-doctor-looks-for-nothing"
#define WITHIN_MS 5000L

gboolean
probe_local (const Config *config, RootLook *look, GError **error)
{
  Root root;
  g_autofree char *why = NULL;
  if (!root_init (&root, config, error))
    return FALSE;
  int folder = root_open (&root, &why);
  if (folder >= 0 && faccessat (folder, ".", W_OK | X_OK, 0) != 0)
    why = g_strdup_printf ("[store.local] root %s: %s", root.path, g_strerror (errno));
  *look = folder >= 0 ? root_look (&root, folder) : ROOT_FILLED;
  if (folder >= 0)
    close (folder);
  root_clear (&root);
  if (why != NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s", why);
  return why == NULL;
}

/* Waits for the answer, and keeps what it says. */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t came;
  gboolean done;
  long status; /* 0: none came */
  S3Answer answer;
  char *broken, *words; /* why it is no XML; the text of its error */
} Probe;

static void
probe_clear (Probe *probe)
{
  s3_answer_clear (&probe->answer);
  g_free (probe->broken);
  g_free (probe->words);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Probe, probe_clear)

/* Thread: http. */
static void
on_answer (const HttpResponse *http, gpointer data)
{
  Probe *probe = data;
  pthread_mutex_lock (&probe->lock);
  probe->status = http->status;
  if (http->status != 0)
    (void)s3_xml_parse (http->body, http->body_len, &probe->answer, &probe->broken);
  probe->words = s3_error_words (http, &probe->answer);
  probe->done = TRUE;
  pthread_cond_signal (&probe->came);
  pthread_mutex_unlock (&probe->lock);
}

/* Fills PROBE. NULL: it has an answer, or why none came; else why none could be asked for; g_free
 * it. */
static char *
ask (S3Target *target, HttpRequest *(*question) (S3Target *target), Probe *probe)
{
  g_autoptr (GError) error = NULL;
  char *obstacle = s3_target_obstacle (target);
  if (obstacle != NULL)
    return obstacle;
  Http *http = http_new (&error);
  if (http == NULL)
    return g_strdup (error->message);
  HttpRequest *request = question (target);
  request->timeout_ms = WITHIN_MS;
  http_send (http, request, on_answer, probe);
  pthread_mutex_lock (&probe->lock);
  while (!probe->done)
    pthread_cond_wait (&probe->came, &probe->lock);
  pthread_mutex_unlock (&probe->lock);
  http_free (http);
  return NULL;
}

static gboolean
says (const Probe *probe, const char *code)
{
  return g_strcmp0 (probe->answer.code, code) == 0;
}

/* Without the right to list, the answer for an absent object is "denied". That does not mean that
 * deleting is denied. */
static char *
judge_look (const Probe *probe)
{
  if (probe->status / 100 == 2 || says (probe, "NoSuchKey") || says (probe, "AccessDenied"))
    return NULL;
  return probe->broken == NULL ? g_strdup (probe->words)
                               : g_strdup_printf ("HTTP %ld: %s", probe->status, probe->broken);
}

static char *
judge_list (const Probe *probe)
{
  if (probe->status / 100 == 2 && probe->answer.is_list)
    return NULL;
  return g_strdup_printf ("versions = all lists versions: %s", probe->words);
}

static HttpRequest *
look (S3Target *target)
{
  return s3_request_look (target, ABSENT);
}

static HttpRequest *
list (S3Target *target)
{
  return s3_request_list (target, ABSENT);
}

static gboolean
probe_with (const Config *config, const char *bucket, HttpRequest *(*question) (S3Target *),
            char *(*judge) (const Probe *), GError **error)
{
  g_auto (Probe) probe = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
  S3Target *target = s3_target_new (config, bucket, error);
  if (target == NULL)
    return FALSE;
  g_autofree char *why = ask (target, question, &probe);
  if (why == NULL)
    why = judge (&probe);
  if (why != NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s: %s", s3_target_name (target), why);
  s3_target_free (target);
  return why == NULL;
}

gboolean
probe_object (const Config *config, const char *bucket, GError **error)
{
  return probe_with (config, bucket, look, judge_look, error);
}

gboolean
probe_list (const Config *config, const char *bucket, GError **error)
{
  return probe_with (config, bucket, list, judge_list, error);
}

BucketKind
probe_versions (const Config *config, const char *bucket, char **why)
{
  g_auto (Probe) probe = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
  g_autoptr (GError) error = NULL;
  S3Target *target = s3_target_new (config, bucket, &error);
  if (target == NULL) {
    *why = g_strdup (error->message);
    return BUCKET_UNKNOWN;
  }
  *why = ask (target, s3_request_versioning, &probe);
  s3_target_free (target);
  if (*why != NULL)
    return BUCKET_UNKNOWN;
  if (probe.status / 100 == 2 && probe.answer.is_status)
    return probe.answer.status != NULL ? BUCKET_VERSIONS : BUCKET_PLAIN;
  if (says (&probe, "NotImplemented") || says (&probe, "MethodNotAllowed"))
    return BUCKET_PLAIN;
  *why = g_strdup (probe.words);
  return BUCKET_UNKNOWN;
}
