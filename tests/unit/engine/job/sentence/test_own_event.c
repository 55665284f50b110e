/* What a message of an application's own topic says. The tables are written by hand. */
#include "engine/job/sentence/own_event.h"

#include <string.h>

static MessageSource
source_of (const char *value, MessageHeader *headers, guint n_headers)
{
  return (MessageSource){ .value = (const guint8 *)value,
                          .value_len = value != NULL ? strlen (value) : 0,
                          .headers = headers,
                          .n_headers = n_headers };
}

static void
test_paths (void)
{
  static const struct {
    const char *body, *path, *found; /* FOUND: as JSON; NULL: nothing */
  } cases[] = {
    { "{\"a\":1}", "a", "1" },
    { "{\"a\":{\"b\":{\"c\":\"x\"}}}", "a.b.c", "\"x\"" },
    { "{\"a\":{\"b\":null}}", "a.b", "null" },
    { "{\"a\":{\"b\":{}}}", "a.b", "{}" },
    { "{\"a\":[{\"b\":1},{\"b\":2}]}", "a.1.b", "2" },
    { "[5,6]", "1", "6" },
    { "{\"a\":{\"0\":\"named\"}}", "a.0", "\"named\"" },
    { "{\"a\":[1]}", "a.1", NULL },
    { "{\"a\":[1]}", "a.-1", NULL },
    { "{\"a\":[1]}", "a.x", NULL },
    { "{\"a\":1}", "b", NULL },
    { "{\"a\":1}", "a.b", NULL },
    { "{\"a\":null}", "a.b", NULL },
    { "{\"a\":\"b\"}", "a.b", NULL },
    { "{\"a.b\":1}", "a.b", NULL },
    { "{\"A\":1}", "a", NULL },
    { "7", "a", NULL },
    { "{}", "a", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (json_t) body = json_parse (cases[i].body, strlen (cases[i].body), NULL);
    g_assert_nonnull (body);
    const json_t *found = own_event_find (body, cases[i].path);
    g_autofree char *text = found != NULL ? json_text (found) : NULL;
    g_test_message ("%s of %s", cases[i].path, cases[i].body);
    g_assert_cmpstr (text, ==, cases[i].found);
  }
}

static void
set_header (MessageHeader *header, const char *name, const char *value)
{
  *header = (MessageHeader){ (char *)name, (char *)value, value != NULL ? strlen (value) : 0 };
}

#define CLOUD(more) "{\"specversion\":\"1.0\",\"id\":\"7\",\"source\":\"/s\"" more "}"
#define OF_TYPE(type) CLOUD (",\"type\":\"" type "\"")
#define JSON_TYPE "application/cloudevents+json"

/* An attribute that is a header, too, says the same there. */
static void
test_identity_in_both_modes (void)
{
  static const struct {
    const char *name, *value, *why; /* WHY: NULL: it has the id 7 */
  } cases[] = {
    { "ce_id", NULL, NULL },
    { "ce_id", "7", NULL },
    { "CE_ID", "8", "undecodable: header ce_id is another one than id in the value" },
    { "ce_source", "/t", "undecodable: header ce_source is another one than source in the value" },
    { "ce_time", "2026-01-01T00:00:00Z", NULL },
    { "id", "8", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    MessageDecoded identity = { NULL };
    g_auto (OwnEvent) own = { NULL };
    g_autoptr (GError) error = NULL;
    g_autoptr (SentenceEvent) event = sentence_event_new ("Erased");
    MessageHeader headers[2];
    set_header (&headers[0], "content-type", JSON_TYPE);
    set_header (&headers[1], cases[i].name, cases[i].value);
    MessageSource source = source_of (OF_TYPE ("Erased"), headers, G_N_ELEMENTS (headers));
    g_assert_true (own_event_open (&own, &source, &error));
    const gboolean ok = own_event_identity (&own, event, &identity, &error);
    g_assert_cmpstr (ok ? NULL : error->message, ==, cases[i].why);
    if (ok) {
      g_assert_cmpstr (identity.ce_id, ==, "7");
      g_assert_cmpstr (identity.ce_source, ==, "/s");
    }
    message_decoded_clear (&identity);
  }
}

#define CONNECT(field, payload)                                                                    \
  "{\"schema\":{\"type\":\"struct\",\"fields\":[{\"field\":\"x\",\"type\":\"int32\"}," field       \
  "]},\"payload\":" payload "}"
#define DECIMAL(scale)                                                                             \
  "{\"field\":\"id\",\"type\":\"bytes\",\"name\":\"org.apache.kafka.connect.data.Decimal\","       \
  "\"parameters\":{\"scale\":\"" scale "\"}}"

/* MDk= is 0x3039, 12345; /w== is -1. */
static void
test_keys (void)
{
  static const struct {
    const char *value, *key; /* KEY: or the error */
  } cases[] = {
    { CONNECT ("{\"field\":\"id\",\"type\":\"int64\"}", "{\"id\":7}"), "7" },
    { CONNECT (DECIMAL ("0"), "{\"id\":\"MDk=\"}"), "12345" },
    { CONNECT (DECIMAL ("2"), "{\"id\":\"MDk=\"}"), "123.45" },
    { CONNECT (DECIMAL ("0"), "{\"id\":\"/w==\"}"), "-1" },
    { CONNECT ("{\"field\":\"id\",\"type\":\"string\"}", "{\"id\":\"MDk=\"}"), "MDk=" },
    { "{\"schema\":1,\"payload\":{\"id\":\"MDk=\"}}", "MDk=" },
    /* No text is what the bytes are. */
    { CONNECT (DECIMAL ("0"), "{\"id\":\"1234567\"}"),
      "undecodable: key payload.id is bytes, not a value" },
    { CONNECT (DECIMAL ("x"), "{\"id\":\"MDk=\"}"),
      "undecodable: key payload.id is bytes, not a value" },
    { CONNECT (DECIMAL ("0"), "{\"id\":\"\"}"),
      "undecodable: key payload.id is bytes, not a value" },
    { CONNECT ("{\"field\":\"id\",\"type\":\"bytes\"}", "{\"id\":\"MDk=\"}"),
      "undecodable: key payload.id is bytes, not a value" },
    /* A numeric without a scale, as Debezium has it. */
    { CONNECT ("{\"field\":\"id\",\"type\":\"struct\",\"name\":\"io.debezium.data."
               "VariableScaleDecimal\"}",
               "{\"id\":{\"scale\":0,\"value\":\"MDk=\"}}"),
      "undecodable: key payload.id is an object, not a value" },
    { CONNECT (DECIMAL ("0"), "{\"id\":null}"), "undecodable: key payload.id is null" },
    { CONNECT (DECIMAL ("0"), "{}"), "undecodable: key payload.id is missing" },
    { CONNECT (DECIMAL ("0"), "null"), "undecodable: key payload.id is missing" },
    { CONNECT (DECIMAL ("0"), "[5]"), "undecodable: key payload.id is missing" },
    { "{\"schema\":{\"fields\":5},\"payload\":{\"id\":7}}", "7" },
    { "{\"schema\":{\"fields\":[1,{\"field\":5}]},\"payload\":{\"id\":7}}", "7" },
  };
  char *paths[] = { (char *)"payload.id", NULL };
  SentenceEvent event = { .name = (char *)"x", .key = paths };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    MessageSource source = source_of (cases[i].value, NULL, 0);
    g_auto (OwnEvent) own;
    g_autoptr (GError) error = NULL;
    g_assert_true (own_event_open (&own, &source, NULL));
    g_auto (GStrv) key = own_event_key (&own, &event, &error);
    g_test_message ("%s", cases[i].value);
    g_assert_cmpstr (key != NULL ? key[0] : error->message, ==, cases[i].key);
  }
}

/* Many rows can have an empty text, and it is nobody's. One row can have it as its key. */
static void
test_empty_keys (void)
{
  static const struct {
    const char *value;
    gboolean ok;
  } cases[] = { { "{\"id\":\"\"}", FALSE },
                { "{\"id\":\" \\t\\n\"}", FALSE },
                { "{\"id\":\" x\"}", TRUE },
                { "{\"id\":0}", TRUE },
                { "{\"id\":false}", TRUE } };
  char *paths[] = { (char *)"id", NULL }, *columns[] = { (char *)"owner", NULL };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    SentenceEvent event = { .name = (char *)"x", .key = paths, .columns = columns };
    MessageSource source = source_of (cases[i].value, NULL, 0);
    g_auto (OwnEvent) own;
    g_autoptr (GError) error = NULL;
    g_assert_true (own_event_open (&own, &source, NULL));
    g_auto (GStrv) key = own_event_key (&own, &event, &error);
    g_assert_cmpstr (key != NULL ? NULL : error->message, ==,
                     cases[i].ok ? NULL : "undecodable: key id is empty");
    event.columns = NULL;
    g_auto (GStrv) of_one = own_event_key (&own, &event, NULL);
    g_assert_nonnull (of_one);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/own_event/paths", test_paths);
  g_test_add_func ("/job/own_event/empty_keys", test_empty_keys);
  g_test_add_func ("/job/own_event/identity", test_identity_in_both_modes);
  g_test_add_func ("/job/own_event/keys", test_keys);
  return g_test_run ();
}
