/* What producers may write of events of ours beside the plain form. */
#include "base/error.h"
#include "support/message.h"

#include <string.h>

#define STRUCTURED "application/cloudevents+json"
#define ORPHANED "pruned.events.PlaceholderUserOrphaned"
#define OBJECTS "pruned.events.ObjectsMarkedForDeletion"

typedef struct {
  const char *content_type, *ce_type; /* headers; NULL: missing */
  const char *value;                  /* NULL: no value */
  const char *wanted_type;            /* NULL: it is refused */
  const char *wanted;                 /* the content, or the reason */
} Case;

static gboolean
decode (const Case *one, const char *space, MessageDecoded *decoded, GError **error)
{
  MessageHeader headers[2];
  guint n = 0;
  if (one->content_type != NULL)
    headers[n++]
        = (MessageHeader){ "content-type", (char *)one->content_type, strlen (one->content_type) };
  if (one->ce_type != NULL)
    headers[n++] = (MessageHeader){ "ce_type", (char *)one->ce_type, strlen (one->ce_type) };
  MessageSource source = { .value = (const guint8 *)one->value,
                           .value_len = one->value != NULL ? strlen (one->value) : 0,
                           .headers = headers,
                           .n_headers = n,
                           .type = g_str_has_suffix (space, ".") ? NULL : space,
                           .space = space };
  return message_decode (&source, decoded, error);
}

static void
assert_cases (const Case *cases, guint n, const char *space)
{
  for (guint i = 0; i < n; i++) {
    MessageDecoded decoded;
    g_autoptr (GError) error = NULL;
    gboolean ok = decode (&cases[i], space, &decoded, &error);
    g_autofree char *content = ok ? json_text (decoded.content) : g_strdup (error->message);
    g_test_message ("%u: %s", i, content);
    g_assert_cmpstr (decoded.type, ==, cases[i].wanted_type);
    g_assert_cmpstr (content, ==, cases[i].wanted);
    message_decoded_clear (&decoded);
  }
}

static void
test_types_of_events (void)
{
  static const Case cases[] = {
    { NULL, "PlaceholderUserOrphaned", "{\"placeholder_user_id\":9}", ORPHANED,
      "{\"placeholder_user_id\":9}" },
    { NULL, ORPHANED ".v2", "{\"placeholder_user_id\":9}", ORPHANED,
      "{\"placeholder_user_id\":9}" },
    { NULL, "PlaceholderUserOrphaned.v10", "{\"placeholder_user_id\":9}", ORPHANED,
      "{\"placeholder_user_id\":9}" },
    { NULL, "placeholderuserorphaned", "{\"placeholder_user_id\":9}", NULL,
      "unknown type placeholderuserorphaned" },
    { NULL, ORPHANED ".v", "{\"placeholder_user_id\":9}", NULL, "unknown type " ORPHANED ".v" },
    { NULL, ORPHANED ".v2x", "{\"placeholder_user_id\":9}", NULL, "unknown type " ORPHANED ".v2x" },
    { NULL, "other.PlaceholderUserOrphaned", "{\"placeholder_user_id\":9}", NULL,
      "unknown type other.PlaceholderUserOrphaned" },
    { NULL, "v2", "{}", NULL, "unknown type v2" },
    { NULL, "Tick", "{\"job\":\"j\"}", NULL, "unknown type Tick" },
    { NULL, "MemberRemoved", "{}", NULL, "unknown type MemberRemoved" },
  };
  assert_cases (cases, G_N_ELEMENTS (cases), "pruned.events.");
}

static void
test_fields_of_events (void)
{
  static const Case cases[] = {
    { NULL, ORPHANED, "{\"placeholder_user_id\":9,\"note\":{\"a\":[1]}}", ORPHANED,
      "{\"placeholder_user_id\":9}" },
    { NULL, ORPHANED, " \r\n\t{\"placeholder_user_id\":9}\n", ORPHANED,
      "{\"placeholder_user_id\":9}" },
    { NULL, ORPHANED, "{\"placeholder_usr_id\":9}", NULL,
      "undecodable: missing field placeholder_user_id" },
    { NULL, OBJECTS, NULL, OBJECTS, "{}" },
    { NULL, OBJECTS, "", OBJECTS, "{}" },
    { NULL, "ObjectsMarkedForDeletion", NULL, OBJECTS, "{}" },
    { NULL, OBJECTS, "{\"more\":1}", OBJECTS, "{}" },
    { NULL, ORPHANED, NULL, NULL, "empty value" },
    { NULL, NULL, NULL, NULL, "empty value" },
  };
  static const Case ticks[] = {
    { NULL, NULL, "{\"job\":\"j\",\"limit\":1}", NULL, "unknown field limit" },
    { NULL, "Tick", "\n{\"job\":\"j\"}", "pruned.Tick",
      "{\"job\":\"j\",\"scheduled_at\":null,\"args\":{}}" },
    { NULL, NULL, NULL, NULL, "empty value" },
  };
  assert_cases (cases, G_N_ELEMENTS (cases), "pruned.events.");
  assert_cases (ticks, G_N_ELEMENTS (ticks), "pruned.Tick");
}

static void
test_structured_mode (void)
{
  static const Case cases[] = {
    { STRUCTURED, NULL,
      "{\"specversion\":\"1.0\",\"type\":\"" ORPHANED "\",\"source\":\"/app\",\"id\":\"1\","
      "\"data\":{\"placeholder_user_id\":9}}",
      ORPHANED, "{\"placeholder_user_id\":9}" },
    { "Application/CloudEvents+JSON; charset=utf-8", NULL,
      " {\"data\":{\"placeholder_user_id\":9},\"type\":\"PlaceholderUserOrphaned.v1\",\"x\":[{}],"
      "\"datacontenttype\":\"application/json\"}",
      ORPHANED, "{\"placeholder_user_id\":9}" },
    { STRUCTURED, ORPHANED, "{\"type\":\"" ORPHANED "\",\"data\":{\"placeholder_user_id\":9}}",
      ORPHANED, "{\"placeholder_user_id\":9}" },
    { STRUCTURED, NULL, "{\"type\":\"" OBJECTS "\"}", OBJECTS, "{}" },
    { STRUCTURED, NULL, "{\"type\":\"" OBJECTS "\",\"data\":null}", OBJECTS, "{}" },
    { STRUCTURED, OBJECTS, "{\"type\":\"" ORPHANED "\",\"data\":{\"placeholder_user_id\":9}}", NULL,
      "undecodable: header ce_type is there twice, with different values" },
    { STRUCTURED, NULL, "{\"data\":{\"placeholder_user_id\":9}}", NULL, "missing header ce_type" },
    { STRUCTURED, NULL, "{\"type\":\"" ORPHANED "\"}", NULL, "undecodable: data is missing" },
    { STRUCTURED, NULL, "{\"type\":7,\"data\":{}}", NULL, "undecodable: type is no text" },
    { STRUCTURED, NULL, "{\"type\":\"" ORPHANED "\",\"data_base64\":\"e30=\"}", NULL,
      "undecodable: data_base64 is not read: send data" },
    { STRUCTURED, NULL, "{\"type\":\"" ORPHANED "\",\"data\":[1]}", NULL,
      "undecodable: neither JSON nor Avro, the first byte is 5b" },
    { STRUCTURED, NULL,
      "{\"specversion\":\"0.3\",\"type\":\"" ORPHANED "\",\"data\":{\"placeholder_user_id\":9}}",
      NULL, "undecodable: ce_specversion 0.3 is not 1.0" },
    { STRUCTURED, NULL, "{\"type\":\"" ORPHANED "\",\"datacontenttype\":\"text/xml\",\"data\":{}}",
      NULL, "unknown content-type text/xml" },
    { STRUCTURED, NULL, "[]", NULL, "undecodable: expected an object" },
    { STRUCTURED, NULL, "{\"type\":", NULL, "undecodable: line 1, column 9: a digit is missing" },
  };
  assert_cases (cases, G_N_ELEMENTS (cases), "pruned.events.");
}

static void
test_attributes_of_structured_mode (void)
{
  const Case one = { STRUCTURED, NULL,
                     "{\"specversion\":\"1.0\",\"type\":\"Tick\",\"id\":\"a1\",\"source\":\"/app\","
                     "\"time\":\"2026-11-21T02:10:00.5+02:00\","
                     "\"data\":{\"job\":\"j\",\"args\":{\"b\":1.50,\"a\":12345678901234567890}}}",
                     NULL, NULL };
  MessageDecoded decoded;
  GError *error = NULL;
  gboolean ok = decode (&one, "pruned.Tick", &decoded, &error);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_cmpstr (decoded.ce_id, ==, "a1");
  g_assert_cmpstr (decoded.ce_source, ==, "/app");
  g_assert_cmpint (decoded.ce_time_us, ==, G_GINT64_CONSTANT (1795219800500000));
  g_assert_cmpstr (decoded.args_text, ==, "{\"a\":12345678901234567890,\"b\":1.50}");
  message_decoded_clear (&decoded);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/message_decode/types_of_events", test_types_of_events);
  g_test_add_func ("/message_decode/fields_of_events", test_fields_of_events);
  g_test_add_func ("/message_decode/structured_mode", test_structured_mode);
  g_test_add_func ("/message_decode/attributes_of_structured_mode",
                   test_attributes_of_structured_mode);
  return g_test_run ();
}
