#include "avro/registry_private.h"

#include "base/clock.h"
#include "base/error.h"
#include "http/http.h"

#include <pthread.h>
#include <string.h>

#define WITHIN_MS 5000L
#define REFUSED_US (60 * G_USEC_PER_SEC)    /* so long such a number is not asked for again */
#define REFUSED_MOST 10000                  /* numbers */
#define SCHEMAS_MOST 64                     /* that one refers to, directly or through others */
#define ALL_WITHIN_US (30 * G_USEC_PER_SEC) /* a schema with those */

/* Why there is no schema of this number: none is there, or it cannot be read. */
typedef struct {
  gint64 until_us; /* monotonic */
  char *why;
} Refused;

static struct {
  char *url, *ca_file, *token_file;
  Http *http;
  pthread_mutex_t lock;
  GHashTable *shapes;  /* the number -> Shape; under the lock */
  GHashTable *refused; /* the number -> Refused; alike */
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
refused_free (gpointer data)
{
  g_free (((Refused *)data)->why);
  g_free (data);
}

gboolean
registry_start (const Config *config, GError **error)
{
  const char *url = config_text (config, "registry", "url");
  if (*url == '\0')
    return TRUE;
  registry.http = http_new (error);
  if (registry.http == NULL)
    return FALSE;
  registry.url = g_strdup (url);
  while (g_str_has_suffix (registry.url, "/"))
    registry.url[strlen (registry.url) - 1] = '\0';
  registry.ca_file = g_strdup (config_text (config, "registry", "ca_file"));
  registry.token_file = g_strdup (config_text (config, "registry", "token_file"));
  registry.refused = g_hash_table_new_full (NULL, NULL, NULL, refused_free);
  registry.shapes
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)(void (*) (void))shape_free);
  return TRUE;
}

void
registry_stop (void)
{
  g_clear_pointer (&registry.http, http_free);
  g_clear_pointer (&registry.shapes, g_hash_table_unref);
  g_clear_pointer (&registry.refused, g_hash_table_unref);
  g_clear_pointer (&registry.url, g_free);
  g_clear_pointer (&registry.token_file, g_free);
  g_clear_pointer (&registry.ca_file, g_free);
}

/* --- a question --- */

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t came;
  gboolean done;
  long status;
  char *body, *why;
} Reply;

/* Thread: http. */
static void
on_reply (const HttpResponse *from, gpointer data)
{
  Reply *reply = data;
  pthread_mutex_lock (&reply->lock);
  reply->status = from->status;
  reply->body = g_strndup (from->body, from->body_len);
  reply->why = g_strdup (from->error);
  reply->done = TRUE;
  pthread_cond_signal (&reply->came);
  pthread_mutex_unlock (&reply->lock);
}

/* What the reply says. PRUNED_REJECT: the registry has no such thing. It says so by a code of its
 * interface: 40401 (no such subject), 40402 (version), 40403 (schema). Any other 404 is that of a
 * path which is not the registry's, and says nothing about a schema. */
static json_t *
judge (const Reply *reply, GError **error)
{
  if (reply->status == 0)
    return error_null (error, PRUNED_OUTAGE, "the schema registry does not answer: %s",
                       reply->why != NULL ? reply->why : "no reason is known");
  g_autoptr (json_t) said = json_parse (reply->body, strlen (reply->body), NULL);
  if (reply->status == 404
      && json_integer_value (json_object_get (said, "error_code")) / 100 == 404)
    return error_null (error, PRUNED_REJECT, "it is not there");
  const char *why = json_string_value (json_object_get (said, "message"));
  if (reply->status != 200 || said == NULL)
    return error_null (
        error, PRUNED_OUTAGE, "the schema registry answers with HTTP status %ld%s%s%s%.300s",
        reply->status, reply->status == 200 ? ", but no JSON" : "",
        reply->status == 404 ? " as if it had no such page; is the path in [registry] url right?"
                             : "",
        why != NULL ? ": " : "", why != NULL ? why : "");
  return g_steal_pointer (&said);
}

/* Reads the token anew each time: it may be replaced while the daemon runs. */
static gboolean
add_token (HttpRequest *request, GError **error)
{
  g_autofree char *token = NULL;
  g_autoptr (GError) cause = NULL;
  if (*registry.token_file == '\0')
    return TRUE;
  if (!g_file_get_contents (registry.token_file, &token, NULL, &cause))
    return error_set (error, PRUNED_OUTAGE, "[registry] token_file: %s", cause->message);
  g_strstrip (token);
  if (*token == '\0' || strpbrk (token, "\r\n") != NULL)
    return error_null (error, PRUNED_OUTAGE, "[registry] token_file: %s has not one line",
                       registry.token_file)
           != NULL;
  http_add_header (request, g_strconcat ("Authorization: Bearer ", token, NULL));
  return TRUE;
}

static void
free_request (HttpRequest *request)
{
  g_free (request->url);
  g_free (request->ca_file);
  g_free (request->body);
  g_strfreev (request->headers);
  g_free (request);
}

json_t *
registry_ask (const char *path, const char *body, GError **error)
{
  Reply reply
      = { .lock = PTHREAD_MUTEX_INITIALIZER, .came = (pthread_cond_t)PTHREAD_COND_INITIALIZER };
  HttpRequest *request = g_new0 (HttpRequest, 1);
  *request
      = (HttpRequest){ .method = body != NULL ? "POST" : "GET",
                       .body = g_strdup (body),
                       .body_len = body != NULL ? strlen (body) : 0,
                       .url = g_strconcat (registry.url, path, NULL),
                       .ca_file = *registry.ca_file != '\0' ? g_strdup (registry.ca_file) : NULL,
                       .timeout_ms = WITHIN_MS };
  http_add_header (request, g_strdup ("Accept: application/vnd.schemaregistry.v1+json, "
                                      "application/json"));
  if (body != NULL)
    http_add_header (request, g_strdup ("Content-Type: application/vnd.schemaregistry.v1+json"));
  if (!add_token (request, error)) {
    free_request (request);
    return NULL;
  }
  http_send (registry.http, request, on_reply, &reply);
  pthread_mutex_lock (&reply.lock);
  while (!reply.done)
    pthread_cond_wait (&reply.came, &reply.lock);
  pthread_mutex_unlock (&reply.lock);
  json_t *said = judge (&reply, error);
  g_free (reply.body);
  g_free (reply.why);
  return said;
}

gboolean
registry_answers (GError **error)
{
  GError *cause = NULL;
  g_autoptr (json_t) said = registry_ask ("/schemas/ids/1", NULL, &cause);
  if (cause == NULL || cause->code == PRUNED_REJECT) {
    g_clear_error (&cause);
    return TRUE;
  }
  g_propagate_error (error, cause);
  return FALSE;
}

/* --- a schema --- */

/* What a schema refers to. */
typedef struct {
  GPtrArray *texts; /* those that others refer to first */
  GHashTable *seen; /* paths */
  gint64 until_us;  /* monotonic */
} Known;

static gboolean add_known (const json_t *said, const Known *known, GError **error);

static const char *
text_of (const json_t *said, GError **error)
{
  const char *type = json_string_value (json_object_get (said, "schemaType")),
             *text = json_string_value (json_object_get (said, "schema"));
  if (type != NULL && g_ascii_strcasecmp (type, "AVRO") != 0)
    return error_null (error, PRUNED_REJECT, "it is of type %s, not AVRO", type);
  return text != NULL ? text
                      : error_null (error, PRUNED_OUTAGE, "the schema registry sends no schema");
}

/* Adds the schema that REFERENCE names, after those that it refers to itself. */
static gboolean
add_one (const json_t *reference, const Known *known, GError **error)
{
  const char *subject = json_string_value (json_object_get (reference, "subject"));
  if (subject == NULL)
    return error_set (error, PRUNED_REJECT, "it refers to a schema without a subject");
  g_autofree char *escaped = g_uri_escape_string (subject, NULL, FALSE);
  g_autofree char *path
      = g_strdup_printf ("/subjects/%s/versions/%" JSON_INTEGER_FORMAT, escaped,
                         json_integer_value (json_object_get (reference, "version")));
  if (!g_hash_table_add (known->seen, g_strdup (path)))
    return TRUE;
  if (clock_monotonic_us () >= known->until_us)
    return error_set (error, PRUNED_OUTAGE, "the schema registry takes too long");
  if (g_hash_table_size (known->seen) > SCHEMAS_MOST)
    return error_set (error, PRUNED_REJECT, "it refers to more than %d schemas", SCHEMAS_MOST);
  g_autoptr (json_t) said = registry_ask (path, NULL, error);
  if (said == NULL)
    g_prefix_error (error, "it refers to %s: ", subject);
  const char *text = said != NULL ? text_of (said, error) : NULL;
  if (text == NULL || !add_known (said, known, error))
    return FALSE;
  g_ptr_array_add (known->texts, g_strdup (text));
  return TRUE;
}

static gboolean
add_known (const json_t *said, const Known *known, GError **error)
{
  gsize i;
  json_t *reference;
  json_array_foreach (json_object_get (said, "references"), i, reference) {
    if (!add_one (reference, known, error))
      return FALSE;
  }
  return TRUE;
}

static Shape *
shape_of (const json_t *said, GError **error)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const Known known = { texts, seen, clock_monotonic_us () + ALL_WITHIN_US };
  const char *text = text_of (said, error);
  if (text == NULL || !add_known (said, &known, error))
    return NULL;
  g_ptr_array_add (texts, NULL);
  return shape_parse ((const char *const *)texts->pdata, text, error);
}

/* What was said of it within the last minute; NULL: nothing. g_free it. Under the lock. */
static char *
is_refused (guint32 id)
{
  const Refused *refused = g_hash_table_lookup (registry.refused, GUINT_TO_POINTER (id));
  return refused != NULL && clock_monotonic_us () < refused->until_us ? g_strdup (refused->why)
                                                                      : NULL;
}

static void
keep_refused (guint32 id, const char *why)
{
  Refused *refused = g_new0 (Refused, 1);
  *refused = (Refused){ clock_monotonic_us () + REFUSED_US, g_strdup (why) };
  pthread_mutex_lock (&registry.lock);
  if (g_hash_table_size (registry.refused) >= REFUSED_MOST)
    g_hash_table_remove_all (registry.refused);
  g_hash_table_insert (registry.refused, GUINT_TO_POINTER (id), refused);
  pthread_mutex_unlock (&registry.lock);
}

static Shape *
fetch (guint32 id, GError **error)
{
  GError *cause = NULL;
  g_autofree char *path = g_strdup_printf ("/schemas/ids/%" G_GUINT32_FORMAT, id);
  g_autoptr (json_t) said = registry_ask (path, NULL, &cause);
  Shape *shape = said != NULL ? shape_of (said, &cause) : NULL;
  if (shape != NULL)
    return shape;
  if (cause->code == PRUNED_REJECT && said != NULL)
    g_prefix_error (&cause, "undecodable: schema %" G_GUINT32_FORMAT " of the registry: ", id);
  else if (cause->code == PRUNED_REJECT) {
    g_clear_error (&cause);
    g_set_error (&cause, PRUNED_ERROR, PRUNED_REJECT, "unknown schema %" G_GUINT32_FORMAT, id);
  }
  if (cause->code == PRUNED_REJECT)
    keep_refused (id, cause->message);
  g_propagate_error (error, cause);
  return NULL;
}

/* Another thread may have asked for the same meanwhile: the first reply counts. */
static const Shape *
keep (guint32 id, Shape *shape)
{
  pthread_mutex_lock (&registry.lock);
  const Shape *first = g_hash_table_lookup (registry.shapes, GUINT_TO_POINTER (id));
  if (first == NULL)
    g_hash_table_insert (registry.shapes, GUINT_TO_POINTER (id), shape);
  pthread_mutex_unlock (&registry.lock);
  if (first == NULL)
    return shape;
  shape_free (shape);
  return first;
}

const Shape *
registry_shape (guint32 id, GError **error)
{
  if (registry.http == NULL)
    return error_null (
        error, PRUNED_REJECT,
        "undecodable: no registry configured: the value begins with 00, the frame of a "
        "schema registry; set [registry] url, or `schema` of an event of your own");
  pthread_mutex_lock (&registry.lock);
  const Shape *known = g_hash_table_lookup (registry.shapes, GUINT_TO_POINTER (id));
  g_autofree char *refused = known == NULL ? is_refused (id) : NULL;
  pthread_mutex_unlock (&registry.lock);
  if (refused != NULL)
    return error_null (error, PRUNED_REJECT, "%s", refused);
  if (known != NULL)
    return known;
  Shape *shape = fetch (id, error);
  return shape != NULL ? keep (id, shape) : NULL;
}
