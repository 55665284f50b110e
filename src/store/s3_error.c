#include "store/s3_error.h"

#include "store/s3_request.h"

#include <string.h>

/* Error codes of a whole request that no retry heals (Amazon S3 API reference, "List of error
 * codes"). */
static const struct {
  const char *code, *remedy;
} MISCONFIGURED[] = {
  { "AccessDenied", "the credentials of [store.object] may not delete in this bucket" },
  { "AllAccessDisabled", "the service has closed this account or bucket" },
  { "AccountProblem", "the service has closed this account" },
  { "NotSignedUp", "the service does not know this account" },
  { "InvalidSecurity", "see access_key and secret_key of [store.object]" },
  { "InvalidAccessKeyId", "see [store.object] access_key" },
  { "SignatureDoesNotMatch", "see secret_key and region of [store.object]" },
  { "RequestTimeTooSkewed",
    "the clocks of this machine and of the service differ: set the one that is wrong" },
  { "RequestExpired",
    "the clocks of this machine and of the service differ: set the one that is wrong" },
  { "ExpiredToken", "see session_token or credentials_file of [store.object]" },
  { "InvalidToken", "see session_token or credentials_file of [store.object]" },
  { "TokenRefreshRequired", "see session_token or credentials_file of [store.object]" },
  { "NoSuchBucket", "see [store.object] bucket" },
  { "InvalidBucketName", "see [store.object] bucket" },
  { "PermanentRedirect", "see region and endpoint of [store.object]" },
  { "TemporaryRedirect", "see region and endpoint of [store.object]" },
  { "AuthorizationHeaderMalformed", "see [store.object] region" },
};

static const char *
remedy_of (const char *code)
{
  for (guint i = 0; i < G_N_ELEMENTS (MISCONFIGURED); i++)
    if (g_strcmp0 (code, MISCONFIGURED[i].code) == 0)
      return MISCONFIGURED[i].remedy;
  return NULL;
}

static gboolean
is_one_of (const char *code, const char *const *codes)
{
  return code != NULL && g_strv_contains (codes, code);
}

gboolean
s3_says_deleted (const HttpResponse *http)
{
  return http->status == 204
         || (http->status == 200 && http->body_len == 0 && http->header[S3_ID] != NULL);
}

gboolean
s3_says_marked (const HttpResponse *http)
{
  return http->header[S3_MARKER] != NULL && g_str_equal (http->header[S3_MARKER], "true");
}

S3Fault
s3_error_fault (const HttpResponse *http, const S3Answer *answer, gboolean bulk)
{
  static const char *const too_much[] = { "SlowDown", "TooManyRequests", NULL };
  static const char *const unknown[] = { "NotImplemented", "MethodNotAllowed", NULL };
  if (http->untrusted)
    return S3_MISCONFIGURED;
  if (http->status == 503 || http->status == 429 || is_one_of (answer->code, too_much))
    return S3_SLOW_DOWN;
  if (bulk && (http->status == 501 || http->status == 405 || is_one_of (answer->code, unknown)))
    return S3_NO_BULK;
  if (http->status == 0 || http->status >= 500)
    return S3_BROKEN;
  if (!bulk && g_strcmp0 (answer->code, "AccessDenied") == 0)
    return S3_THIS_REQUEST; /* this key alone is refused */
  if (http->status == 401 || http->status == 404
      || (bulk && http->status == 403)) /* with a code of the service's own */
    return S3_MISCONFIGURED;
  return answer->code == NULL || remedy_of (answer->code) != NULL ? S3_MISCONFIGURED
                                                                  : S3_THIS_REQUEST;
}

char *
s3_error_words (const HttpResponse *http, const S3Answer *answer)
{
  if (http->untrusted)
    return g_strdup_printf ("%s; see ca_file and endpoint of [store.object]", http->error);
  if (http->status == 0)
    return g_strdup (http->error);
  if (answer->code == NULL)
    return g_strdup_printf ("HTTP %ld, and not an answer of S3: is the endpoint an S3 service?",
                            http->status);
  const char *remedy = remedy_of (answer->code),
             *message = answer->message != NULL ? answer->message : "";
  return g_strconcat (answer->code, *message != '\0' ? ": " : "", message,
                      remedy != NULL ? "; " : "", remedy, NULL);
}

gboolean
s3_error_is_for_later (const char *words)
{
  static const char *const codes[] = { "SlowDown", "InternalError", "ServiceUnavailable" };
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_has_prefix (words, codes[i]))
      return TRUE;
  return FALSE;
}
