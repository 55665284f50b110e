/* A bucket as a place: a PUT of the whole, with digests that the service compares. */
#include "store/place_private.h"

#include "http/http.h"
#include "store/part.h"
#include "store/s3_error.h"
#include "store/s3_request.h"
#include "store/s3_xml.h"

#include <pthread.h>
#include <string.h>

#define AGAIN_MS 5000
#define WRONG_AGAIN_MS 30000
#define PROBE ".pruned-looks"

/* For files that are written; made with the first. */
static Http *shared;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

static char *
bucket_of (const char *bucket)
{
  return g_strndup (bucket, strcspn (bucket, "/"));
}

/* The key of NAME below the path behind the bucket. */
static char *
key_of (const char *bucket, const char *name)
{
  const StoreObject object = { .dir = bucket + strcspn (bucket, "/"), .file = name };
  return store_key ("", &object);
}

/* The target; NULL: *WHY (g_free it) says why there is none. */
static S3Target *
target_of (const Config *config, const char *bucket, char **why)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = bucket_of (bucket);
  if (*config_text (config, "store.object", "endpoint") == '\0') {
    *why = g_strdup ("[store.object] endpoint is not set");
    return NULL;
  }
  S3Target *target = s3_target_new (config, name, &error);
  if (target == NULL)
    *why = g_strdup (error->message);
  else if ((*why = s3_target_obstacle (target)) != NULL)
    g_clear_pointer (&target, s3_target_free);
  return target;
}

/* Why HTTP is not the answer that was wanted (g_free it). WRONG: no retry heals it. */
static char *
trouble_of (const HttpResponse *http, const char *does, gboolean *wrong)
{
  S3Answer answer = { 0 };
  g_autofree char *broken = NULL;
  if (http->status != 0 && http->body_len > 0)
    (void)s3_xml_parse (http->body, http->body_len, &answer, &broken);
  g_autofree char *words = s3_error_words (http, &answer);
  char *why = g_strcmp0 (answer.code, "AccessDenied") == 0
                  ? g_strdup_printf ("AccessDenied: the credentials of [store.object] may not %s "
                                     "in this bucket",
                                     does)
              : g_strcmp0 (answer.code, "NoSuchKey") == 0 ? g_strdup ("there is no such object")
                                                          : g_strdup (words);
  const S3Fault fault = s3_error_fault (http, &answer, TRUE);
  *wrong = fault == S3_MISCONFIGURED;
  s3_answer_clear (&answer);
  return why;
}

/* A web server that takes any PUT names no digest. */
static gboolean
is_written (const HttpResponse *http)
{
  return http->status / 100 == 2 && http->header[S3_ID] != NULL && *http->header[S3_ID] != '\0';
}

/* --- writing --- */

typedef struct {
  PlaceFile *file;
  char *name; /* of the target */
} Put;

/* Thread: http. */
static void
on_put (const HttpResponse *http, gpointer data)
{
  Put *put = data;
  PlaceFile *file = put->file;
  gboolean wrong = FALSE;
  g_autofree char *why = is_written (http) ? NULL : trouble_of (http, "write", &wrong),
                  *name = g_steal_pointer (&put->name);
  g_free (put);
  place_done (file, why != NULL ? g_strdup_printf ("%s: %s", name, why) : NULL,
              wrong ? WRONG_AGAIN_MS : AGAIN_MS);
}

/* Thread: http. */
static gboolean
is_unwanted (gpointer data)
{
  return atomic_load (&((Put *)data)->file->cancelled) != 0;
}

static Http *
shared_http (GError **error)
{
  pthread_mutex_lock (&shared_lock);
  if (shared == NULL)
    shared = http_new (error);
  Http *http = shared;
  pthread_mutex_unlock (&shared_lock);
  return http;
}

void
place_s3_write (const Config *config, const char *bucket, PlaceFile *file)
{
  g_autoptr (GError) error = NULL;
  char *why = NULL;
  S3Target *target = target_of (config, bucket, &why);
  Http *http = target != NULL ? shared_http (&error) : NULL;
  if (target != NULL && http == NULL)
    why = g_strdup (error->message);
  if (http != NULL) {
    g_autofree char *key = key_of (bucket, file->name);
    Put *put = g_new0 (Put, 1);
    *put = (Put){ file, g_strdup (s3_target_name (target)) };
    HttpRequest *request = s3_request_put (target, key, file->content);
    request->unwanted = is_unwanted;
    http_send (http, request, on_put, put);
  }
  if (target != NULL)
    s3_target_free (target);
  if (http == NULL)
    place_done (file, why, WRONG_AGAIN_MS);
}

void
place_s3_stop (void)
{
  g_clear_pointer (&shared, http_free);
}

/* --- requests that are waited for --- */

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t came;
  const char *does; /* what the credentials may not do if access is denied */
  gboolean (*is_right) (const HttpResponse *http);
  gboolean done;
  GBytes *content;
  char *why;
} Wait;

/* Thread: http. */
static void
on_answer (const HttpResponse *http, gpointer data)
{
  Wait *wait = data;
  gboolean wrong;
  pthread_mutex_lock (&wait->lock);
  wait->content = g_bytes_new (http->body, http->body_len);
  wait->why = wait->is_right (http) ? NULL : trouble_of (http, wait->does, &wrong);
  wait->done = TRUE;
  pthread_cond_signal (&wait->came);
  pthread_mutex_unlock (&wait->lock);
}

static gboolean
is_read (const HttpResponse *http)
{
  return http->status == 200;
}

static void
ask (Http *http, HttpRequest *request, const char *does,
     gboolean (*is_right) (const HttpResponse *http), Wait *wait)
{
  *wait = (Wait){ .lock = PTHREAD_MUTEX_INITIALIZER,
                  .came = PTHREAD_COND_INITIALIZER,
                  .does = does,
                  .is_right = is_right };
  http_send (http, request, on_answer, wait);
  pthread_mutex_lock (&wait->lock);
  while (!wait->done)
    pthread_cond_wait (&wait->came, &wait->lock);
  pthread_mutex_unlock (&wait->lock);
}

/* The target and a connection of its own; NULL: *WHY (g_free it) says why not. */
static S3Target *
begin (const Config *config, const char *bucket, Http **http, char **why)
{
  g_autoptr (GError) error = NULL;
  S3Target *target = target_of (config, bucket, why);
  *http = target != NULL ? http_new (&error) : NULL;
  if (target == NULL || *http != NULL)
    return target;
  *why = g_strdup (error->message);
  s3_target_free (target);
  return NULL;
}

GBytes *
place_s3_get (const Config *config, const char *path, GError **error)
{
  Http *http;
  Wait wait;
  g_autofree char *why = NULL, *key = key_of (path, "");
  key[strlen (key) - 1] = '\0'; /* the slash of a folder */
  S3Target *target = begin (config, path, &http, &why);
  if (target == NULL)
    return error_null (error, PRUNED_OUTAGE, "%s", why);
  HttpRequest *request = s3_request_get (target, key);
  request->most_bytes = PLACE_MOST_BYTES;
  ask (http, request, "read", is_read, &wait);
  http_free (http);
  s3_target_free (target);
  why = wait.why;
  if (why == NULL)
    return wait.content;
  g_bytes_unref (wait.content);
  return error_null (error, PRUNED_OUTAGE, "%s", why);
}

char *
place_s3_probe (const Config *config, const char *bucket)
{
  Http *http;
  Wait put, removed;
  char *why = NULL;
  g_autofree char *key = key_of (bucket, PROBE);
  g_autoptr (GBytes) one = g_bytes_new_static ("\n", 1);
  S3Target *target = begin (config, bucket, &http, &why);
  if (target == NULL)
    return why;
  ask (http, s3_request_put (target, key, one), "write", is_written, &put);
  g_bytes_unref (put.content);
  if (put.why != NULL)
    why = g_strdup_printf ("%s: %s", s3_target_name (target), put.why);
  else { /* without the right to delete the object stays, and is the same the next time */
    ask (http, s3_request_single (target, key, NULL), "delete", s3_says_deleted, &removed);
    g_bytes_unref (removed.content);
    g_free (removed.why);
  }
  g_free (put.why);
  http_free (http);
  s3_target_free (target);
  return why;
}
