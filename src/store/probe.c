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

/* Waits for the answer. */
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t came;
  gboolean done;
  char *why; /* NULL: the service answered that the object does not exist, or that we have no right
                to see it */
} Probe;

/* Without the right to list, the answer for an absent object is "denied". That does not mean that
 * deleting is denied. */
static char *
judge (const HttpResponse *answer)
{
  S3Answer parsed = { 0 };
  g_autofree char *broken = NULL;
  gboolean is_xml
      = answer->status != 0 && s3_xml_parse (answer->body, answer->body_len, &parsed, &broken);
  gboolean fine = answer->status / 100 == 2 || g_strcmp0 (parsed.code, "NoSuchKey") == 0
                  || g_strcmp0 (parsed.code, "AccessDenied") == 0;
  g_autofree char *words = s3_error_words (answer, &parsed);
  char *why = fine ? NULL
              : is_xml || answer->status == 0
                  ? g_steal_pointer (&words)
                  : g_strdup_printf ("HTTP %ld: %s", answer->status, broken);
  s3_answer_clear (&parsed);
  return why;
}

/* Thread: http. */
static void
on_answer (const HttpResponse *answer, gpointer data)
{
  Probe *probe = data;
  pthread_mutex_lock (&probe->lock);
  probe->why = judge (answer);
  probe->done = TRUE;
  pthread_cond_signal (&probe->came);
  pthread_mutex_unlock (&probe->lock);
}

static char *
ask (S3Target *target)
{
  char *obstacle = s3_target_obstacle (target);
  if (obstacle != NULL)
    return obstacle;
  Probe probe = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, FALSE, NULL };
  g_autoptr (GError) error = NULL;
  Http *http = http_new (&error);
  if (http == NULL)
    return g_strdup (error->message);
  HttpRequest *request = s3_request_look (target, ABSENT);
  request->timeout_ms = WITHIN_MS;
  http_send (http, request, on_answer, &probe);
  pthread_mutex_lock (&probe.lock);
  while (!probe.done)
    pthread_cond_wait (&probe.came, &probe.lock);
  pthread_mutex_unlock (&probe.lock);
  http_free (http);
  return probe.why;
}

gboolean
probe_object (const Config *config, const char *bucket, GError **error)
{
  S3Target *target = s3_target_new (config, bucket, error);
  if (target == NULL)
    return FALSE;
  g_autofree char *why = ask (target);
  if (why != NULL)
    g_set_error (error, PRUNED_ERROR, PRUNED_OUTAGE, "%s: %s", s3_target_name (target), why);
  s3_target_free (target);
  return why == NULL;
}
