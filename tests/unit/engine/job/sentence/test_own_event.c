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

typedef enum { NO, YES, UNKNOWN } Fits;

/* MATCH: lines `path = value`, with `|` between them. TYPE, KIND: of the headers. */
typedef struct {
  const char *type, *kind, *value;
  const char *match;
  Fits fits;
} FitCase;

static void
assert_fits (const FitCase *one, SentenceEvent *event, const MessageSource *source)
{
  gboolean fits = FALSE;
  g_auto (OwnEvent) own;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = g_strsplit (one->match, "|", -1);
  for (char **line = lines; *line != NULL; line++) {
    g_auto (GStrv) pair = g_strsplit (*line, " = ", 2);
    sentence_event_match (event, pair[0], pair[1]);
  }
  g_assert_true (own_event_open (&own, source, NULL));
  g_test_message ("%s %s %s: %s", one->type, one->kind, one->value, one->match);
  gboolean told = own_event_fits (&own, event, &fits, &error);
  g_assert_cmpint (told ? (fits ? YES : NO) : UNKNOWN, ==, one->fits);
  g_assert_true (told == (error == NULL));
}

static void
set_header (MessageHeader *header, const char *name, const char *value)
{
  *header = (MessageHeader){ (char *)name, (char *)value, value != NULL ? strlen (value) : 0 };
}

static void
test_fits (void)
{
  static const FitCase cases[] = {
    { "Erased", NULL, NULL, "", YES },
    { "com.example.Erased", NULL, "no JSON", "", YES },
    { "com.Erased.Other", NULL, "{}", "", NO },
    { "NotErased", NULL, "{}", "", NO },
    { "Erased.", NULL, "{}", "", NO },
    { "erased", NULL, "{}", "", NO },
    { NULL, NULL, "{}", "", YES },
    { NULL, NULL, "[]", "", YES },
    { NULL, NULL, NULL, "", UNKNOWN },
    { NULL, NULL, "no JSON", "", UNKNOWN },
    /* The value. */
    { NULL, NULL, "{\"t\":\"Erased\"}", "t = Erased", YES },
    { NULL, NULL, "{\"t\":5}", "t = 5", YES },
    { NULL, NULL, "{\"t\":true}", "t = true", YES },
    { NULL, NULL, "{\"t\":\"Erased \"}", "t = Erased", NO },
    { NULL, NULL, "{\"t\":null}", "t = null", NO },
    { NULL, NULL, "{\"t\":{}}", "t = {}", NO },
    { NULL, NULL, "{\"m\":{\"t\":\"x\"}}", "m.t = x", YES },
    { NULL, NULL, "{}", "t = Erased", NO },
    { NULL, NULL, NULL, "t = Erased", NO },
    { NULL, NULL, "no JSON", "t = x", UNKNOWN },
    { NULL, NULL, "{\"header\":{\"t\":\"x\"}}", "header.t = x", NO },
    { NULL, NULL, "{\"header\":{\"t\":\"x\"}}", ".header.t = x", YES },
    { NULL, NULL, "{\"record\":\"x\"}", "record = x", YES },
    /* A type, and what else is asked, hold together. */
    { "Other", NULL, "{\"t\":\"Erased\"}", "t = Erased", NO },
    { "Other", NULL, "no JSON", "t = Erased", NO },
    { "a.Erased", NULL, "{\"t\":\"x\"}", "t = Erased", NO },
    { "a.Erased", NULL, "{\"t\":\"Erased\"}", "t = Erased", YES },
    { "Erased", NULL, "{}", "t = Erased", NO },
    { "Erased", NULL, NULL, "t = Erased", UNKNOWN },
    { NULL, NULL, "{\"t\":\"x\",\"u\":1}", "t = x|u = 1", YES },
    { NULL, NULL, "{\"t\":\"x\",\"u\":1}", "t = x|u = 2", NO },
    { NULL, NULL, "{\"t\":\"x\",\"u\":1}", "t = y|u = 1", NO },
    /* Headers. */
    { NULL, "gone", "{}", "header.x-kind = gone", YES },
    { NULL, "gone", "no JSON", "header.x-kind = gone", UNKNOWN },
    { NULL, "back", "no JSON", "header.x-kind = gone", NO },
    { NULL, NULL, "{\"x-kind\":\"gone\"}", "header.x-kind = gone", NO },
    { NULL, "gone", "{\"t\":\"x\"}", "t = x|header.x-kind = gone", YES },
    { NULL, "gone", "{\"t\":\"y\"}", "t = x|header.x-kind = gone", NO },
    { NULL, "back", "{\"t\":\"x\"}", "t = x|header.x-kind = gone", NO },
    { NULL, "\xff", "{}", "header.x-kind = gone", UNKNOWN },
    { "Erased", "back", "{}", "header.x-kind = gone", NO },
    { "Erased", "gone", NULL, "header.x-kind = gone", YES },
    { NULL, NULL, "{}", "header.ce_type = Erased", NO },
    { "Erased", NULL, "{}", "header.ce_type = Erased", YES },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    MessageHeader headers[2];
    set_header (&headers[0], "ce_type", cases[i].type);
    set_header (&headers[1], "x-kind", cases[i].kind);
    MessageSource source = source_of (cases[i].value, headers, G_N_ELEMENTS (headers));
    g_autoptr (SentenceEvent) event = sentence_event_new ("Erased");
    assert_fits (&cases[i], event, &source);
  }
}

#define RECORDS                                                                                    \
  "[\"null\", {\"type\": \"record\", \"name\": \"shop.Erased\", \"fields\": [" ID "]},"            \
  " {\"type\": \"record\", \"name\": \"shop.Added\", \"fields\": [" ID "]}]"
#define ID "{\"name\": \"id\", \"type\": \"long\"}"
#define ERASED "\2\16"
#define ADDED "\4\16"

/* Of Avro a record says what it is. */
static void
test_records_fit (void)
{
  static const FitCase cases[] = {
    { NULL, NULL, ERASED, "", YES },
    { NULL, NULL, ADDED, "", NO },
    { NULL, NULL, NULL, "", NO },
    { "Erased", NULL, ADDED, "", YES },
    { "x.Erased", NULL, ADDED, "record = Erased", NO },
    { "Added", NULL, ERASED, "record = *", NO },
    { NULL, NULL, ADDED, "record = *", YES },
    { NULL, NULL, ADDED, "record = Added", YES },
    { NULL, NULL, ADDED, "record = shop.Added", YES },
    { NULL, NULL, ADDED, "record = op.Added", NO },
    { NULL, NULL, ERASED, "record = Added", NO },
    { NULL, NULL, ADDED, "id = 7", NO },
    { NULL, NULL, ERASED, "id = 7", YES },
    { NULL, NULL, ERASED, "id = 8", NO },
    { NULL, NULL, ADDED, "id = 7|record = *", YES },
    { NULL, NULL, ADDED, ".record = x|record = *", NO },
    { NULL, "gone", ADDED, "header.x-kind = gone", NO },
    { NULL, "gone", ERASED, "header.x-kind = gone", YES },
    { NULL, NULL, "\6\16", "", UNKNOWN },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    MessageHeader headers[2];
    set_header (&headers[0], "ce_type", cases[i].type);
    set_header (&headers[1], "x-kind", cases[i].kind);
    MessageSource source = source_of (cases[i].value, headers, G_N_ELEMENTS (headers));
    g_autoptr (SentenceEvent) event = sentence_event_new ("Erased");
    event->format = EVENT_AVRO;
    event->schema = shape_parse (NULL, RECORDS, NULL);
    g_assert_nonnull (event->schema);
    assert_fits (&cases[i], event, &source);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/own_event/paths", test_paths);
  g_test_add_func ("/job/own_event/fits", test_fits);
  g_test_add_func ("/job/own_event/records_fit", test_records_fit);
  g_test_add_func ("/job/own_event/keys", test_keys);
  return g_test_run ();
}
