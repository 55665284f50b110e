#include "store/s3_sign.h"

#include <string.h>

#define ALGORITHM "AWS4-HMAC-SHA256"
#define DIGEST_BYTES 32
#define DAY_LENGTH 8 /* of 20130524T000000Z */

struct _S3Signer {
  char *region, *access_key, *secret_key;
};

S3Signer *
s3_signer_new (const char *region, const char *access_key, const char *secret_key)
{
  S3Signer *signer = g_new0 (S3Signer, 1);
  *signer = (S3Signer){ g_strdup (region), g_strdup (access_key), g_strdup (secret_key) };
  return signer;
}

void
s3_signer_free (gpointer data)
{
  S3Signer *signer = data;
  g_free (signer->region);
  g_free (signer->access_key);
  g_free (signer->secret_key);
  g_free (signer);
}

/* --- the parts of a URL, as they are sent */

typedef struct {
  char *host, *path, *query;
} Address;

static void
address_clear (Address *address)
{
  g_free (address->host);
  g_free (address->path);
  g_free (address->query);
}

/* By name, then by value: `a=` is before `a-b=`, other than in the order of the whole texts. */
static int
compare_parameters (gconstpointer a, gconstpointer b)
{
  const char *one = *(char *const *)a, *other = *(char *const *)b;
  gsize one_len = strcspn (one, "="), other_len = strcspn (other, "=");
  int order = strncmp (one, other, MIN (one_len, other_len));
  if (order == 0)
    order = (one_len > other_len) - (one_len < other_len);
  return order != 0 ? order : strcmp (one, other);
}

/* Sorted; a parameter without a value has an empty one. */
static char *
canonical_query (const char *query)
{
  g_auto (GStrv) parameters = g_strsplit (query, "&", -1);
  for (char **one = parameters; *one != NULL; one++)
    if (strchr (*one, '=') == NULL) {
      char *bare = *one;
      *one = g_strconcat (bare, "=", NULL);
      g_free (bare);
    }
  qsort (parameters, g_strv_length (parameters), sizeof *parameters, compare_parameters);
  return g_strjoinv ("&", parameters);
}

/* A port that the scheme stands for is not named in Host: services, and what stands in front of
 * them, leave it out. */
static char *
host_of (const char *url, const char *host, gsize len)
{
  const char *usual = g_str_has_prefix (url, "https:") ? ":443" : ":80";
  char *text = g_strndup (host, len);
  if (g_str_has_suffix (text, usual))
    text[len - strlen (usual)] = '\0';
  return text;
}

/* The path is neither normalised nor encoded again: S3 takes it as it comes. */
static Address
address_of (const char *url)
{
  const char *scheme_end = strstr (url, "://"), *host = scheme_end != NULL ? scheme_end + 3 : url;
  const char *path = host + strcspn (host, "/?"), *query = path + strcspn (path, "?");
  return (Address){ .host = host_of (url, host, (gsize)(path - host)),
                    .path
                    = path == query ? g_strdup ("/") : g_strndup (path, (gsize)(query - path)),
                    .query = *query != '\0' ? canonical_query (query + 1) : g_strdup ("") };
}

/* --- what is signed */

/* `name:value`, the name in small letters. */
static char *
canonical_header (const char *header)
{
  gsize len = strcspn (header, ":");
  g_autofree char *name = g_ascii_strdown (header, (gssize)len);
  g_autofree char *value = g_strstrip (g_strdup (header[len] != '\0' ? header + len + 1 : ""));
  return g_strconcat (name, ":", value, NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const char *one = *(char *const *)a, *other = *(char *const *)b;
  g_autofree char *one_name = g_strndup (one, strcspn (one, ":")),
                  *other_name = g_strndup (other, strcspn (other, ":"));
  return strcmp (one_name, other_name);
}

/* HEADERS, a line each, and their NAMES; the digest of the body is one of them. */
typedef struct {
  GString *lines, *names;
  const char *body_sha256; /* into the request */
} Signed;

static Signed
signed_of (char **headers)
{
  Signed told = { g_string_new (NULL), g_string_new (NULL), "" };
  g_autoptr (GPtrArray) sorted = g_ptr_array_new_with_free_func (g_free);
  for (; *headers != NULL; headers++) {
    g_ptr_array_add (sorted, canonical_header (*headers));
    if (g_str_has_prefix (*headers, "x-amz-content-sha256: "))
      told.body_sha256 = *headers + strlen ("x-amz-content-sha256: ");
  }
  g_ptr_array_sort (sorted, compare_names);
  for (guint i = 0; i < sorted->len; i++) {
    const char *line = sorted->pdata[i];
    g_string_append_printf (told.lines, "%s\n", line);
    g_string_append_printf (told.names, "%s%.*s", i > 0 ? ";" : "", (int)strcspn (line, ":"), line);
  }
  return told;
}

/* --- the signature */

static void
hmac (const void *key, gsize key_len, const char *text, guint8 digest[DIGEST_BYTES])
{
  gsize n = DIGEST_BYTES;
  g_autoptr (GHmac) made = g_hmac_new (G_CHECKSUM_SHA256, key, key_len);
  g_hmac_update (made, (const guchar *)text, (gssize)strlen (text));
  g_hmac_get_digest (made, digest, &n);
}

/* TEXT, by a key that holds for a day, a region and S3 only. Hexadecimal. */
static char *
signature_of (const S3Signer *signer, const char *day, const char *text)
{
  const char *const scope[] = { day, signer->region, "s3", "aws4_request" };
  g_autofree char *secret = g_strconcat ("AWS4", signer->secret_key, NULL);
  guint8 key[DIGEST_BYTES];
  hmac (secret, strlen (secret), scope[0], key);
  for (guint i = 1; i < G_N_ELEMENTS (scope); i++)
    hmac (key, sizeof key, scope[i], key);
  return g_compute_hmac_for_string (G_CHECKSUM_SHA256, key, sizeof key, text,
                                    (gssize)strlen (text));
}

static char *
time_of (gint64 now_us)
{
  g_autoptr (GDateTime) at = g_date_time_new_from_unix_utc (now_us / G_USEC_PER_SEC);
  return g_date_time_format (at, "%Y%m%dT%H%M%SZ");
}

void
s3_sign (const S3Signer *signer, HttpRequest *request, gint64 now_us)
{
  Address address = address_of (request->url);
  g_autofree char *at = time_of (now_us), *day = g_strndup (at, DAY_LENGTH);
  g_autofree char *scope = g_strdup_printf ("%s/%s/s3/aws4_request", day, signer->region);
  http_add_header (request, g_strconcat ("Host: ", address.host, NULL));
  http_add_header (request, g_strconcat ("x-amz-date: ", at, NULL));
  Signed told = signed_of (request->headers);
  g_autofree char *canonical
      = g_strdup_printf ("%s\n%s\n%s\n%s\n%s\n%s", request->method, address.path, address.query,
                         told.lines->str, told.names->str, told.body_sha256);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, canonical, -1);
  g_autofree char *text = g_strdup_printf (ALGORITHM "\n%s\n%s\n%s", at, scope, digest);
  g_autofree char *signature = signature_of (signer, day, text);
  http_add_header (request,
                   g_strdup_printf ("Authorization: " ALGORITHM
                                    " Credential=%s/%s, SignedHeaders=%s, Signature=%s",
                                    signer->access_key, scope, told.names->str, signature));
  g_string_free (told.lines, TRUE);
  g_string_free (told.names, TRUE);
  address_clear (&address);
}
