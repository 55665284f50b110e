#include "store/probe.h"

#include "base/clock.h"
#include "http/http.h"
#include "store/beneath.h"
#include "store/local.h"
#include "store/s3_error.h"
#include "store/s3_request.h"
#include "store/s3_xml.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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
  gint64 modified_us;   /* of a look; 0: not said */
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

/* A time as HTTP writes it (RFC 9110); 0: it is none. */
static gint64
time_of (const char *text)
{
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  char name[4] = "";
  int day, year, hour, minute, second;
  if (text == NULL
      || sscanf (text, "%*3s, %2d %3s %4d %2d:%2d:%2d", &day, name, &year, &hour, &minute, &second)
             != 6)
    return 0;
  const char *month = strstr (months, name);
  g_autoptr (GDateTime) time
      = month != NULL && strlen (name) == 3
            ? g_date_time_new_utc (year, (int)(month - months) / 3 + 1, day, hour, minute, second)
            : NULL;
  return time != NULL ? g_date_time_to_unix (time) * G_USEC_PER_SEC : 0;
}

/* Thread: http. */
static void
on_answer (const HttpResponse *http, gpointer data)
{
  Probe *probe = data;
  pthread_mutex_lock (&probe->lock);
  probe->status = http->status;
  if (http->status != 0)
    (void)s3_xml_parse (http->body, http->body_len, &probe->answer, &probe->broken);
  probe->modified_us = time_of (http->header[S3_MODIFIED]);
  probe->words = s3_error_words (http, &probe->answer);
  probe->done = TRUE;
  pthread_cond_signal (&probe->came);
  pthread_mutex_unlock (&probe->lock);
}

/* Sends REQUEST and waits for its answer. */
static void
ask_with (Http *http, HttpRequest *request, Probe *probe)
{
  request->timeout_ms = WITHIN_MS;
  http_send (http, request, on_answer, probe);
  pthread_mutex_lock (&probe->lock);
  while (!probe->done)
    pthread_cond_wait (&probe->came, &probe->lock);
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
  ask_with (http, question (target), probe);
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

/* --- objects ---------------------------------------------------------------------------------- */

static gboolean
local_one (const Root *root, int folder, ProbeObject *object, char **why)
{
  g_autofree char *path = NULL, *name = NULL;
  struct stat info;
  const int within = local_open_folder (folder, &object->object, &path, &name);
  const gboolean there
      = within >= 0 && *name != '\0' && fstatat (within, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
  const int error = within < 0 ? errno : *name != '\0' ? beneath_errno (name) : EISDIR;
  if (within >= 0)
    close (within);
  if (there) {
    object->object.result = STORE_DELETED;
    object->changed_us = MAX (info.st_mtim.tv_sec, info.st_ctim.tv_sec) * G_USEC_PER_SEC;
  } else if (error == ENOENT || error == ENOTDIR)
    object->object.result = STORE_ABSENT;
  else
    *why = g_strdup_printf ("[store.local] root %s: %s", root->path, g_strerror (error));
  return *why == NULL;
}

static char *
local_objects (const Config *config, GPtrArray *objects, gint64 until_us)
{
  Root root;
  g_autoptr (GError) error = NULL;
  char *why = NULL;
  if (*config_text (config, "store.local", "root") == '\0')
    return g_strdup ("[store.local] root is not set");
  if (!root_init (&root, config, &error))
    return g_strdup (error->message);
  const int folder = root_open (&root, &why);
  for (guint i = 0; folder >= 0 && i < objects->len && clock_monotonic_us () < until_us; i++)
    if (!local_one (&root, folder, objects->pdata[i], &why))
      break;
  if (folder >= 0)
    close (folder);
  root_clear (&root);
  return why;
}

/* Versions of KEY that are left, with OBJECT's result. */
static void
take_versions (const Probe *probe, const char *key, ProbeObject *object)
{
  object->object.result = STORE_ABSENT;
  for (guint i = 0; i < probe->answer.versions->len; i++) {
    const S3Version *version = probe->answer.versions->pdata[i];
    if (version->is_marker || !s3_answer_is_of (&probe->answer, version, key))
      continue;
    object->object.result = STORE_DELETED;
    object->changed_us = MAX (object->changed_us, version->changed_us);
  }
}

static char *
s3_one (Http *http, S3Target *target, ProbeObject *object)
{
  g_auto (Probe) probe = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER },
                 listed = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };
  g_autofree char *key = store_key (s3_target_prefix (target), &object->object);
  ask_with (http, s3_request_look (target, key), &probe);
  if (probe.status / 100 == 2 || (probe.status == 416 && says (&probe, "InvalidRange"))) {
    object->object.result = STORE_DELETED;
    object->changed_us = probe.modified_us;
    return NULL;
  }
  if (probe.status != 404 || !says (&probe, "NoSuchKey"))
    return g_strdup_printf ("%s: %s", s3_target_name (target), probe.words);
  object->object.result = STORE_ABSENT;
  if (!s3_target_all_versions (target))
    return NULL;
  ask_with (http, s3_request_list (target, key), &listed);
  char *why = judge_list (&listed);
  object->object.result = STORE_OPEN;
  if (why == NULL)
    take_versions (&listed, key, object);
  return why;
}

static char *
s3_objects (const Config *config, const char *bucket, GPtrArray *objects, gint64 until_us)
{
  g_autoptr (GError) error = NULL;
  if (*config_text (config, "store.object", "endpoint") == '\0')
    return g_strdup ("[store.object] endpoint is not set");
  S3Target *target = s3_target_new (config, bucket, &error);
  char *why = target == NULL ? g_strdup (error->message) : s3_target_obstacle (target);
  Http *http = why == NULL ? http_new (&error) : NULL;
  if (why == NULL && http == NULL)
    why = g_strdup (error->message);
  for (guint i = 0; why == NULL && i < objects->len && clock_monotonic_us () < until_us; i++)
    why = s3_one (http, target, objects->pdata[i]);
  if (http != NULL)
    http_free (http);
  if (target != NULL)
    s3_target_free (target);
  return why;
}

char *
probe_objects (const Config *config, const char *bucket, ProbeObject *objects, guint n,
               gint64 until_us)
{
  g_autoptr (GPtrArray) local = g_ptr_array_new (), s3 = g_ptr_array_new ();
  gboolean open = FALSE;
  for (guint i = 0; i < n; i++) {
    const StoreObject *object = &objects[i].object;
    if (!store_path_is_unsafe (object->dir, object->file))
      g_ptr_array_add (bucket == NULL && object->file_store == 1 ? local : s3, &objects[i]);
  }
  g_autofree char *first = local->len > 0 ? local_objects (config, local, until_us) : NULL,
                  *second = s3->len > 0 ? s3_objects (config, bucket, s3, until_us) : NULL;
  for (guint i = 0; i < n; i++)
    open |= objects[i].object.result == STORE_OPEN;
  return first != NULL    ? g_steal_pointer (&first)
         : second != NULL ? g_steal_pointer (&second)
         : open           ? g_strdup ("there was no time for it")
                          : NULL;
}
