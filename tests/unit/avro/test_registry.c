/* What a schema registry answers, whatever it is (src/avro/registry.h). The codes are those of
 * Confluent's interface. */
#include "avro/registry.h"
#include "base/error.h"
#include "support/config_file.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* A server of one answer, which it gives to each request, or to those of a path. */
static struct {
  int socket;
  const char *answer, *path, *answer_of_path; /* whole, with the head; NULL: it hangs up */
  gint requests;
} server;

#define SAYS(status, body) "HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body

static void
answer (int connection)
{
  char asked[4096] = "";
  gsize len = 0;
  while (len < sizeof asked - 1 && strstr (asked, "\r\n\r\n") == NULL) {
    gssize n = read (connection, asked + len, sizeof asked - 1 - len);
    if (n <= 0)
      break;
    asked[len += (gsize)n] = '\0';
  }
  g_atomic_int_inc (&server.requests);
  const char *said = server.path != NULL && strstr (asked, server.path) != NULL
                         ? server.answer_of_path
                         : server.answer;
  if (said != NULL)
    g_assert_cmpint (write (connection, said, strlen (said)), ==, (gssize)strlen (said));
  close (connection);
}

static void *
serve (void *data)
{
  for (int connection; (connection = accept (server.socket, NULL, NULL)) >= 0;)
    answer (connection);
  return NULL;
}

static void
start (void)
{
  struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl (INADDR_LOOPBACK) };
  socklen_t len = sizeof at;
  pthread_t thread;
  g_autoptr (GError) error = NULL;
  server.socket = socket (AF_INET, SOCK_STREAM, 0);
  g_assert_true (bind (server.socket, (struct sockaddr *)&at, len) == 0
                 && listen (server.socket, 8) == 0
                 && getsockname (server.socket, (struct sockaddr *)&at, &len) == 0);
  g_assert_cmpint (pthread_create (&thread, NULL, serve, NULL), ==, 0);
  pthread_detach (thread);
  g_autofree char *text
      = g_strdup_printf ("[registry]\nurl = http://127.0.0.1:%d/\n", ntohs (at.sin_port));
  g_autoptr (Config) config = config_load_text (text);
  g_assert_true (registry_start (config, &error));
}

/* The numbers differ, because what is known is not asked again. */
static guint32 number = 1000;

/* Twice. What is refused is remembered, with all that it refers to. */
static void
assert_asked (const char *said, int code, const char *why)
{
  g_autoptr (GError) error = NULL;
  gint first = 0;
  server.answer = said;
  g_atomic_int_set (&server.requests, 0);
  for (guint i = 0; i < 2; i++) {
    g_clear_error (&error);
    g_test_message ("%s", said);
    g_assert_null (registry_shape (number, &error));
    g_assert_error (error, PRUNED_ERROR, code);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, why));
    first = i == 0 ? g_atomic_int_get (&server.requests) : first;
  }
  const gint again = g_atomic_int_get (&server.requests) - first;
  g_assert_true (first > 0 && (again == 0) == (code == PRUNED_REJECT));
  number++;
}

/* An event that is dead has a letter; one of a registry that does not answer as one waits. */
static void
test_a_number_that_is_not_there (void)
{
  assert_asked (SAYS ("404 Not Found", "{\"error_code\":40403,\"message\":\"Schema not found\"}"),
                PRUNED_REJECT, "unknown schema 1000");
}

static void
test_what_is_no_registry (void)
{
  static const struct {
    const char *said, *why;
  } cases[] = {
    { SAYS ("404 Not Found", "<html>"), "HTTP status 404 as if it had no such page" },
    { SAYS ("404 Not Found", "{\"error_code\":404,\"message\":\"HTTP 404 Not Found\"}"),
      "is the path in [registry] url right?: HTTP 404 Not Found" },
    { SAYS ("404 Not Found", "{\"error_code\":0,\"message\":\"no resource\"}"), "no resource" },
    { SAYS ("404 Not Found", "{\"error_code\":\"40403\"}"), "HTTP status 404" },
    { SAYS ("404 Not Found", ""), "HTTP status 404" },
    { SAYS ("500 Oops", "<html>"), "HTTP status 500" },
    { SAYS ("500 Oops", "{\"error_code\":50001,\"message\":\"its store\"}"), "500: its store" },
    { SAYS ("401 Unauthorized", "{\"error_code\":401,\"message\":\"who?\"}"), "401: who?" },
    { SAYS ("302 Found\r\nLocation: /login", ""), "HTTP status 302" },
    { SAYS ("200 OK", "<html>"), "HTTP status 200, but no JSON" },
    { SAYS ("200 OK", ""), "HTTP status 200, but no JSON" },
    { SAYS ("200 OK", "[]"), "sends no schema" },
    { SAYS ("200 OK", "{\"schema\":{}}"), "sends no schema" },
    { "nonsense", "does not answer: " },
    { NULL, "does not answer: " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_asked (cases[i].said, PRUNED_OUTAGE, cases[i].why);
}

static void
test_schemas_that_are_none (void)
{
  assert_asked (SAYS ("200 OK", "{\"schema\":\"{\"}"), PRUNED_REJECT, "not an Avro schema");
  assert_asked (SAYS ("200 OK", "{\"schema\":\"\\\"Other\\\"\"}"), PRUNED_REJECT,
                "there is no type Other");
  assert_asked (SAYS ("200 OK", "{\"schemaType\":\"JSON\",\"schema\":\"{}\"}"), PRUNED_REJECT,
                "it is of type JSON, not AVRO");
}

#define REFERS(version)                                                                            \
  SAYS ("200 OK", "{\"schema\":\"\\\"a.B\\\"\",\"references\":[{\"name\":\"a.B\",\"subject\":"     \
                  "\"b\",\"version\":" version "}]}")

static void
test_references (void)
{
  assert_asked (SAYS ("200 OK", "{\"schema\":\"\\\"int\\\"\",\"references\":[{}]}"), PRUNED_REJECT,
                "it refers to a schema without a subject");
  server.path = "/subjects/b/versions/1";
  server.answer_of_path = SAYS ("404 Not Found", "{\"error_code\":40402}");
  assert_asked (REFERS ("1"), PRUNED_REJECT, "it refers to b: it is not there");
  server.answer_of_path = SAYS ("500 Oops", "");
  assert_asked (REFERS ("1"), PRUNED_OUTAGE, "it refers to b: the schema registry answers with");
  server.answer_of_path = REFERS ("1"); /* to itself */
  assert_asked (REFERS ("1"), PRUNED_REJECT, "there is no type a.B");
  server.path = NULL;
}

static void
test_one_that_is_there (void)
{
  g_autoptr (GError) error = NULL;
  server.answer = SAYS ("200 OK", "{\"schema\":\"\\\"int\\\"\"}");
  g_atomic_int_set (&server.requests, 0);
  const Shape *shape = registry_shape (number, &error);
  g_assert_no_error (error);
  g_assert_true (shape != NULL && shape == registry_shape (number, &error));
  g_assert_cmpint (g_atomic_int_get (&server.requests), ==, 1);
}

static void
test_whether_it_answers (void)
{
  g_autoptr (GError) error = NULL;
  server.answer = SAYS ("404 Not Found", "{\"error_code\":40403}");
  g_assert_true (registry_answers (&error));
  server.answer = SAYS ("200 OK", "{\"schema\":\"\\\"int\\\"\"}");
  g_assert_true (registry_answers (&error));
  server.answer = SAYS ("404 Not Found", "{\"error_code\":404}");
  g_assert_false (registry_answers (&error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_OUTAGE);
}

static void
in_one (void)
{
  start ();
  test_a_number_that_is_not_there ();
  test_what_is_no_registry ();
  test_schemas_that_are_none ();
  test_references ();
  test_one_that_is_there ();
  test_whether_it_answers ();
  registry_stop ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/registry/answers", in_one);
  return config_test_run ();
}
