/* Which messages an [event] section takes. The tables are written by hand. */
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

#define CLOUD(more) "{\"specversion\":\"1.0\",\"id\":\"7\",\"source\":\"/s\"" more "}"
#define OF_TYPE(type) CLOUD (",\"type\":\"" type "\"")
#define JSON_TYPE "application/cloudevents+json"

/* The type of a CloudEvent in structured mode is in its value; a header may say it, too. */
static void
test_structured_mode (void)
{
  static const struct {
    const char *content_name, *content_type, *type_name, *type, *value, *match;
    const char *expected; /* NULL: it fits; "": not; else why it is dead */
  } cases[] = {
    { "content-type", JSON_TYPE, "ce_type", NULL, OF_TYPE ("Erased"), "", NULL },
    { "content-type", JSON_TYPE "; charset=UTF-8", "ce_type", NULL, OF_TYPE ("x.Erased.v2"), "",
      NULL },
    { "Content-Type", "Application/CloudEvents+JSON", "x", NULL, OF_TYPE ("Erased"), "", NULL },
    { "content-type", " application/cloudevents", "ce_type", NULL, OF_TYPE ("Erased"), "", NULL },
    { "content-type", JSON_TYPE, "ce_type", NULL, OF_TYPE ("Other"), "", "" },
    { "Content-Type", JSON_TYPE, "ce_type", NULL, OF_TYPE ("Other"), "", "" },
    { "content-type", JSON_TYPE, "ce_type", "Erased", OF_TYPE ("Erased"), "", NULL },
    { "content-type", JSON_TYPE, "CE_TYPE", "Erased", OF_TYPE ("Erased"), "", NULL },
    { "content-type", JSON_TYPE, "ce_type", "Erased", OF_TYPE ("Other"), "",
      "undecodable: header ce_type is another one than type in the value" },
    { "content-type", JSON_TYPE, "Ce_Type", "Other", OF_TYPE ("Erased"), "",
      "undecodable: header ce_type is another one than type in the value" },
    { "content-type", JSON_TYPE, "ce_type", "Erased", CLOUD (""), "", NULL },
    { "content-type", JSON_TYPE, "ce_type", NULL, CLOUD (""), "", "undecodable: type is missing" },
    { "content-type", JSON_TYPE, "ce_type", NULL, CLOUD (",\"type\":5"), "",
      "undecodable: type is missing" },
    { "content-type", JSON_TYPE, "ce_type", NULL, "[]", "", "undecodable: type is missing" },
    { "content-type", JSON_TYPE, "ce_type", "Erased", "[", "", "undecodable: line 1" },
    { "content-type", "application/cloudevents+avro", "ce_type", NULL, "x", "",
      "undecodable: content-type application/cloudevents+avro: only " },
    { "content-type", "application/CloudEvents-batch+json", "ce_type", NULL, "[]", "",
      "undecodable: content-type application/cloudevents-batch+json: only " },
    { "content-type", "application/cloudevents+avro", "ce_type", "Erased", "x", "", NULL },
    /* `match` finds an attribute as if it were a header. */
    { "content-type", JSON_TYPE, "x", NULL, OF_TYPE ("Erased"), "header.ce_type = Erased", NULL },
    { "content-type", JSON_TYPE, "x", NULL, OF_TYPE ("Erased"), "header.ce_source = /s", NULL },
    { "content-type", JSON_TYPE, "x", NULL, OF_TYPE ("Erased"), "header.ce_source = /x", "" },
    { "content-type", JSON_TYPE, "x", NULL, OF_TYPE ("Erased"), "header.source = /s", "" },
    { "content-type", JSON_TYPE, "ce_source", "/x", OF_TYPE ("Erased"), "header.ce_source = /x",
      NULL },
    { "content-type", "application/json", "x", NULL, OF_TYPE ("Erased"), "header.ce_type = Erased",
      "" },
    { "content-type", "text/plain", "CE_TYPE", "Erased", "{}", "header.ce_type = Erased", NULL },
    { "content-type", "text/plain", "CE_TYPE", "Other", "{}", "", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gboolean fits = FALSE;
    g_auto (OwnEvent) own = { NULL };
    g_autoptr (GError) error = NULL;
    g_autoptr (SentenceEvent) event = sentence_event_new ("Erased");
    MessageHeader headers[2];
    set_header (&headers[0], cases[i].content_name, cases[i].content_type);
    set_header (&headers[1], cases[i].type_name, cases[i].type);
    MessageSource source = source_of (cases[i].value, headers, G_N_ELEMENTS (headers));
    g_auto (GStrv) pair = g_strsplit (cases[i].match, " = ", 2);
    if (pair[0] != NULL)
      sentence_event_match (event, pair[0], pair[1]);
    g_test_message ("%u %s %s: %s", i, cases[i].content_type, cases[i].type, cases[i].value);
    (void)(own_event_open (&own, &source, &error) && own_event_fits (&own, event, &fits, &error));
    g_assert_true (fits == (cases[i].expected == NULL));
    g_assert_true ((error != NULL) == (cases[i].expected != NULL && *cases[i].expected != '\0'));
    if (error != NULL)
      g_assert_true (g_str_has_prefix (error->message, cases[i].expected));
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/own_event/fits", test_fits);
  g_test_add_func ("/job/own_event/structured_mode", test_structured_mode);
  g_test_add_func ("/job/own_event/records_fit", test_records_fit);
  return g_test_run ();
}
