#include "store/s3_sign.h"

#include "base/clock.h"

#include <string.h>

#define EMPTY                                                                                      \
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" /* the SHA-256 of nothing */
#define EXAMPLE "https://examplebucket.s3.amazonaws.com"

typedef struct {
  const char *method, *url, *headers[4], *body_sha256;
  const char *host, *names, *signature; /* the expected result */
} Case;

static HttpRequest
request_of (const Case *one)
{
  HttpRequest request = { .method = one->method, .url = g_strdup (one->url) };
  for (guint i = 0; i < G_N_ELEMENTS (one->headers) && one->headers[i] != NULL; i++)
    http_add_header (&request, g_strdup (one->headers[i]));
  http_add_header (&request, g_strconcat ("x-amz-content-sha256: ", one->body_sha256, NULL));
  return request;
}

static const char *
header_of (const HttpRequest *request, const char *name)
{
  for (char **header = request->headers; *header != NULL; header++)
    if (g_str_has_prefix (*header, name) && g_str_has_prefix (*header + strlen (name), ": "))
      return *header + strlen (name) + 2;
  return NULL;
}

/* SCOPE: `<access key>/<day>/<region>`. */
static void
check (const Case *one, const S3Signer *signer, const char *when, const char *at, const char *scope)
{
  gint64 now_us = 0;
  HttpRequest request = request_of (one);
  g_assert_true (clock_parse (when, &now_us, NULL));
  s3_sign (signer, &request, now_us);
  g_autofree char *wanted = g_strdup_printf (
      "AWS4-HMAC-SHA256 Credential=%s/s3/aws4_request, SignedHeaders=%s, Signature=%s", scope,
      one->names, one->signature);
  g_assert_cmpstr (header_of (&request, "Authorization"), ==, wanted);
  g_assert_cmpstr (header_of (&request, "x-amz-date"), ==, at);
  g_assert_cmpstr (header_of (&request, "Host"), ==, one->host);
  g_free (request.url);
  g_strfreev (request.headers);
}

/* "Examples: Signature Calculations" of the Amazon S3 API reference, "Signature Calculations for
 * the Authorization Header". */
static void
test_the_examples_of_the_api_reference (void)
{
  static const Case cases[] = {
    { "GET",
      EXAMPLE "/test.txt",
      { "Range: bytes=0-9" },
      EMPTY,
      "examplebucket.s3.amazonaws.com",
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41" },
    { "PUT",
      EXAMPLE "/test%24file.text",
      { "x-amz-storage-class: REDUCED_REDUNDANCY", "Date: Fri, 24 May 2013 00:00:00 GMT" },
      "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      "examplebucket.s3.amazonaws.com",
      "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd" },
    { "GET",
      EXAMPLE "/?lifecycle",
      { NULL },
      EMPTY,
      "examplebucket.s3.amazonaws.com",
      "host;x-amz-content-sha256;x-amz-date",
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543" },
    { "GET",
      EXAMPLE "/?max-keys=2&prefix=J",
      { NULL },
      EMPTY,
      "examplebucket.s3.amazonaws.com",
      "host;x-amz-content-sha256;x-amz-date",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7" },
    { "GET",
      EXAMPLE ":443?prefix=J&max-keys=2",
      { NULL },
      EMPTY,
      "examplebucket.s3.amazonaws.com", /* the same request, described differently */
      "host;x-amz-content-sha256;x-amz-date",
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7" },
  };
  S3Signer *signer = s3_signer_new ("us-east-1", "AKIAIOSFODNN7EXAMPLE",
                                    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check (&cases[i], signer, "2013-05-24T00:00:00Z", "20130524T000000Z",
           "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1");
  s3_signer_free (signer);
}

/* Requests of this program. The signatures are those of botocore's S3SigV4Auth (1.44.5). */
static void
test_our_own_requests_as_botocore_signs_them (void)
{
  static const char BULK[] = "e1aafdf3d490effc8db62259cffdbcbd23aa292fa7bab897bfad449b5507a681";
  static const Case cases[] = {
    { "POST",
      "http://127.0.0.1:9000/artifacts/?delete=",
      { "x-amz-security-token: the+token/==", "Content-Type: application/xml",
        "Content-MD5: pPi4C/mmh6qOXC59axZ42A==" },
      BULK,
      "127.0.0.1:9000",
      "content-md5;content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token",
      "d0c43ff20900a0049f23bb3cc9320e54c8722977182abd206261ee8a86e776c0" },
    { "DELETE",
      "http://127.0.0.1:9000/artifacts/p/a/./b%20%25%C3%BC~%2B//c",
      { NULL },
      EMPTY,
      "127.0.0.1:9000",
      "host;x-amz-content-sha256;x-amz-date",
      "9909367499b66ade0fe59fb2316f503136efd625c909284d1c556f7a77580036" },
  };
  S3Signer *signer = s3_signer_new ("eu-west-3", "test", "testsecret");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check (&cases[i], signer, "2026-11-22T21:59:59.999999Z", "20261122T215959Z",
           "test/20261122/eu-west-3");
  s3_signer_free (signer);
}

static void
test_the_host_is_named_with_its_port_unless_the_scheme_says_it (void)
{
  static const char *const cases[][2] = {
    { "http://s3.example.org:80/b/k", "s3.example.org" },
    { "https://s3.example.org:443/b/k", "s3.example.org" },
    { "http://s3.example.org:443/b/k", "s3.example.org:443" },
    { "https://s3.example.org:80/b/k", "s3.example.org:80" },
    { "https://s3.example.org:8443/b/k", "s3.example.org:8443" },
    { "https://s3.example.org/b:443", "s3.example.org" },
    { "http://[::1]:9000/b/k", "[::1]:9000" },
    { "http://[::1]/b/k", "[::1]" },
    { "http://[2001:db8::80]/b/k", "[2001:db8::80]" },
    { "http://[::1]:80/b/k", "[::1]" },
  };
  S3Signer *signer = s3_signer_new ("r", "a", "s");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    HttpRequest request
        = request_of (&(Case){ .method = "GET", .url = cases[i][0], .body_sha256 = EMPTY });
    s3_sign (signer, &request, 0);
    g_assert_cmpstr (header_of (&request, "Host"), ==, cases[i][1]);
    g_free (request.url);
    g_strfreev (request.headers);
  }
  s3_signer_free (signer);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/s3_sign/the-examples-of-the-api-reference",
                   test_the_examples_of_the_api_reference);
  g_test_add_func ("/s3_sign/our-own-requests-as-botocore-signs-them",
                   test_our_own_requests_as_botocore_signs_them);
  g_test_add_func ("/s3_sign/the-host-is-named-with-its-port-unless-the-scheme-says-it",
                   test_the_host_is_named_with_its_port_unless_the_scheme_says_it);
  return g_test_run ();
}
