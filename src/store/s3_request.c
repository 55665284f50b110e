#include "store/s3_request.h"

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "store/s3_sign.h"
#include "store/s3_xml.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#define TIMEOUT_MS 60000L

typedef struct {
  char *access_key, *secret_key, *session_token;
} Credentials;

struct _S3Target {
  char *base; /* scheme, host and, with addressing = path, the bucket; no slash at the end */
  char *name, *prefix, *region, *ca_file, *credentials_file;
  gboolean all_versions;
  pthread_mutex_t lock;
  Credentials credentials;
  struct timespec read_at; /* modification time of the credentials' file */
};

static void
credentials_clear (Credentials *credentials)
{
  g_free (credentials->access_key);
  g_free (credentials->secret_key);
  g_free (credentials->session_token);
}

static char *
text (const Config *config, const char *key)
{
  const char *value = config_text (config, "store.object", key);
  return *value != '\0' ? g_strdup (value) : NULL;
}

static gboolean
refuse (GError **error, const char *key, const char *value, const char *why)
{
  g_autofree char *shown = setting_shown_url (value);
  return error_fatal (error, "[store.object] %s: '%s' %s", key, shown, why);
}

static gboolean
check_address (const Config *config, const char *bucket, GUri *uri, GError **error)
{
  const char *endpoint = config_text (config, "store.object", "endpoint");
  if (*bucket == '\0')
    return refuse (error, "bucket", bucket, "is no name of a bucket");
  if (uri == NULL || g_uri_get_host (uri) == NULL || *g_uri_get_host (uri) == '\0')
    return refuse (error, "endpoint", endpoint,
                   "is no URL of a service, like https://s3.example.org");
  if (!g_str_equal (g_uri_get_scheme (uri), "https")
      && !g_str_equal (g_uri_get_scheme (uri), "http"))
    return refuse (error, "endpoint", endpoint, "is neither https:// nor http://");
  if (g_uri_get_userinfo (uri) != NULL)
    return refuse (error, "endpoint", endpoint,
                   "holds a name: that belongs to access_key and secret_key");
  if (g_str_equal (config_text (config, "store.object", "addressing"), "host")
      && g_hostname_is_ip_address (g_uri_get_host (uri)))
    return refuse (
        error, "addressing", "host",
        "puts the bucket in front of the endpoint's name, and the endpoint is a number: use path");
  return TRUE;
}

static char *
base_of (const Config *config, const char *bucket, GError **error)
{
  g_autoptr (GUri) uri
      = g_uri_parse (config_text (config, "store.object", "endpoint"), G_URI_FLAGS_NONE, NULL);
  if (!check_address (config, bucket, uri, error))
    return NULL;
  const char *host = g_uri_get_host (uri);
  gboolean in_host = g_str_equal (config_text (config, "store.object", "addressing"), "host");
  g_autoptr (GString) base = g_string_new (g_uri_get_scheme (uri));
  g_string_append (base, "://");
  if (in_host)
    g_string_append_printf (base, "%s.", bucket);
  g_string_append_printf (base, strchr (host, ':') != NULL ? "[%s]" : "%s",
                          host); /* a number of IP version 6 */
  if (g_uri_get_port (uri) > 0)
    g_string_append_printf (base, ":%d", g_uri_get_port (uri));
  g_string_append (base, g_uri_get_path (uri));
  while (base->str[base->len - 1] == '/')
    g_string_truncate (base, base->len - 1);
  if (!in_host)
    g_string_append_printf (base, "/%s", bucket);
  return g_strdup (base->str);
}

S3Target *
s3_target_new (const Config *config, const char *bucket, GError **error)
{
  const char *own = config_text (config, "store.object", "bucket");
  char *base = base_of (config, bucket != NULL ? bucket : own, error);
  if (base == NULL)
    return NULL;
  S3Target *target = g_new0 (S3Target, 1);
  target->base = base;
  target->name = g_strdup (base);
  target->prefix = g_strdup (bucket != NULL ? "" : config_text (config, "store.object", "prefix"));
  target->region = g_strdup (config_text (config, "store.object", "region"));
  target->all_versions = g_str_equal (config_text (config, "store.object", "versions"), "all");
  target->ca_file = text (config, "ca_file");
  target->credentials_file = text (config, "credentials_file");
  target->credentials = (Credentials){ text (config, "access_key"), text (config, "secret_key"),
                                       text (config, "session_token") };
  pthread_mutex_init (&target->lock, NULL);
  return target;
}

void
s3_target_free (S3Target *target)
{
  credentials_clear (&target->credentials);
  pthread_mutex_destroy (&target->lock);
  g_free (target->base);
  g_free (target->name);
  g_free (target->prefix);
  g_free (target->region);
  g_free (target->ca_file);
  g_free (target->credentials_file);
  g_free (target);
}

const char *
s3_target_prefix (const S3Target *target)
{
  return target->prefix;
}

gboolean
s3_target_all_versions (const S3Target *target)
{
  return target->all_versions;
}

const char *
s3_target_name (const S3Target *target)
{
  return target->name;
}

/* `key = value` lines; a group's head is not asked for. NULL: what they say was taken; else why it
 * was not (g_free). */
static char *
take_credentials (S3Target *target, const char *contents)
{
  g_autofree char *with_group = g_strconcat ("[credentials]\n", contents, NULL);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  if (!g_key_file_load_from_data (file, with_group, (gsize)-1, G_KEY_FILE_NONE, &error))
    return g_strdup (error->message);
  Credentials read = { g_key_file_get_string (file, "credentials", "access_key", NULL),
                       g_key_file_get_string (file, "credentials", "secret_key", NULL),
                       g_key_file_get_string (file, "credentials", "session_token", NULL) };
  gboolean whole = read.access_key != NULL && *read.access_key != '\0' && read.secret_key != NULL
                   && *read.secret_key != '\0';
  credentials_clear (whole ? &target->credentials : &read);
  if (whole)
    target->credentials = read;
  return whole ? NULL : g_strdup ("it has no lines access_key = ... and secret_key = ...");
}

/* A file that cannot be read, or is being written just now, leaves what was known. With the lock;
 * returns as above. */
static char *
read_credentials (S3Target *target)
{
  struct stat info;
  g_autofree char *contents = NULL;
  if (target->credentials_file == NULL)
    return NULL;
  if (stat (target->credentials_file, &info) != 0)
    return g_strdup (g_strerror (errno));
  if (info.st_mtim.tv_sec == target->read_at.tv_sec
      && info.st_mtim.tv_nsec == target->read_at.tv_nsec)
    return NULL;
  g_autoptr (GError) error = NULL;
  if (!g_file_get_contents (target->credentials_file, &contents, NULL, &error))
    return g_strdup (error->message);
  char *why = take_credentials (target, contents);
  if (why == NULL)
    target->read_at = info.st_mtim;
  return why;
}

char *
s3_target_obstacle (S3Target *target)
{
  pthread_mutex_lock (&target->lock);
  g_autofree char *why = read_credentials (target);
  char *obstacle = why != NULL && target->credentials.access_key == NULL
                       ? g_strdup_printf ("[store.object] credentials_file %s: %s",
                                          target->credentials_file, why)
                       : NULL;
  pthread_mutex_unlock (&target->lock);
  return obstacle;
}

/* Thread: http. */
static void
sign_now (HttpRequest *request)
{
  s3_sign (request->signer, request, clock_now_us ());
}

/* With the lock. */
static void
add_credentials (HttpRequest *request, const char *region, const Credentials *credentials)
{
  if (credentials->access_key != NULL) {
    const char *secret_key = credentials->secret_key != NULL ? credentials->secret_key : "";
    request->signer = s3_signer_new (region, credentials->access_key, secret_key);
    request->signer_free = s3_signer_free;
    request->sign = sign_now;
  }
  if (credentials->session_token != NULL)
    http_add_header (request,
                     g_strconcat ("x-amz-security-token: ", credentials->session_token, NULL));
}

static HttpRequest *
request_new (S3Target *target, const char *method, char *url, const char *payload, gsize len)
{
  HttpRequest *request = g_new0 (HttpRequest, 1);
  g_autofree char *digest
      = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *)payload, len);
  request->method = method;
  request->url = url;
  request->timeout_ms = TIMEOUT_MS;
  request->ca_file = g_strdup (target->ca_file);
  http_add_header (request, g_strconcat ("x-amz-content-sha256: ", digest, NULL));
  pthread_mutex_lock (&target->lock);
  add_credentials (request, target->region, &target->credentials);
  pthread_mutex_unlock (&target->lock);
  return request;
}

static char *
md5_base64 (const char *data, gsize len)
{
  guint8 digest[16];
  gsize n = sizeof digest;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_MD5);
  g_checksum_update (checksum, (const guchar *)data, (gssize)len);
  g_checksum_get_digest (checksum, digest, &n);
  return g_base64_encode (digest, n);
}

HttpRequest *
s3_request_bulk (S3Target *target, const GPtrArray *keys, const GPtrArray *versions)
{
  GString *xml = s3_xml_delete (keys, versions);
  gsize len = xml->len;
  char *body = g_string_free (xml, FALSE);
  g_autofree char *md5 = md5_base64 (body, len);
  HttpRequest *request
      = request_new (target, "POST", g_strconcat (target->base, "/?delete=", NULL), body, len);
  request->body = body;
  request->body_len = len;
  http_add_header (request, g_strdup ("Content-Type: application/xml"));
  http_add_header (request, g_strconcat ("Content-MD5: ", md5, NULL));
  return request;
}

HttpRequest *
s3_request_single (S3Target *target, const char *key, const char *version)
{
  g_autofree char *escaped = http_escape_path (key),
                  *id = version != NULL ? g_uri_escape_string (version, NULL, FALSE) : NULL;
  char *url = g_strconcat (target->base, "/", escaped, id != NULL ? "?versionId=" : NULL, id, NULL);
  HttpRequest *request = request_new (target, "DELETE", url, "", 0);
  request->header[S3_ID] = "x-amz-request-id";
  request->header[S3_MARKER] = "x-amz-delete-marker";
  return request;
}

/* With keys that are percent-encoded: XML cannot represent all. */
HttpRequest *
s3_request_list (S3Target *target, const char *key)
{
  g_autofree char *escaped = g_uri_escape_string (key, NULL, FALSE);
  char *url
      = g_strconcat (target->base, "/?encoding-type=url&prefix=", escaped, "&versions=", NULL);
  return request_new (target, "GET", url, "", 0);
}

HttpRequest *
s3_request_versioning (S3Target *target)
{
  return request_new (target, "GET", g_strconcat (target->base, "/?versioning=", NULL), "", 0);
}

HttpRequest *
s3_request_look (S3Target *target, const char *key)
{
  g_autofree char *escaped = http_escape_path (key);
  HttpRequest *request
      = request_new (target, "GET", g_strconcat (target->base, "/", escaped, NULL), "", 0);
  http_add_header (request, g_strdup ("Range: bytes=0-0"));
  request->header[S3_MODIFIED] = "last-modified";
  return request;
}

HttpRequest *
s3_request_put (S3Target *target, const char *key, GBytes *content)
{
  gsize len;
  const char *data = g_bytes_get_data (content, &len);
  g_autofree char *escaped = http_escape_path (key), *md5 = md5_base64 (data, len);
  HttpRequest *request
      = request_new (target, "PUT", g_strconcat (target->base, "/", escaped, NULL), data, len);
  request->body = g_memdup2 (data, len);
  request->body_len = len;
  http_add_header (request, g_strdup ("Content-Type: application/gzip"));
  http_add_header (request, g_strconcat ("Content-MD5: ", md5, NULL));
  request->header[S3_ID] = "etag";
  return request;
}

HttpRequest *
s3_request_get (S3Target *target, const char *key)
{
  g_autofree char *escaped = http_escape_path (key);
  return request_new (target, "GET", g_strconcat (target->base, "/", escaped, NULL), "", 0);
}
