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

static void
test_fits (void)
{
  static const struct {
    const char *type, *value, *match_path, *match_value;
    Fits fits;
  } cases[] = {
    { "Erased", NULL, NULL, NULL, YES },
    { "com.example.Erased", "no JSON", NULL, NULL, YES },
    { "com.Erased.Other", "{}", NULL, NULL, NO },
    { "NotErased", "{}", NULL, NULL, NO },
    { "Erased.", "{}", NULL, NULL, NO },
    { "erased", "{}", NULL, NULL, NO },
    { "Other", "{\"t\":\"Erased\"}", "t", "Erased", NO },
    { "a.Erased", "{\"t\":\"x\"}", "t", "Erased", YES },
    { NULL, "{}", NULL, NULL, YES },
    { NULL, "[]", NULL, NULL, YES },
    { NULL, "{\"t\":\"Erased\"}", "t", "Erased", YES },
    { NULL, "{\"t\":5}", "t", "5", YES },
    { NULL, "{\"t\":true}", "t", "true", YES },
    { NULL, "{\"t\":\"Erased \"}", "t", "Erased", NO },
    { NULL, "{\"t\":null}", "t", "null", NO },
    { NULL, "{\"t\":{}}", "t", "{}", NO },
    { NULL, "{\"m\":{\"t\":\"x\"}}", "m.t", "x", YES },
    { NULL, "{}", "t", "Erased", NO },
    { NULL, NULL, "t", "Erased", NO },
    { NULL, NULL, NULL, NULL, UNKNOWN },
    { NULL, "no JSON", NULL, NULL, UNKNOWN },
    { NULL, "no JSON", "t", "x", UNKNOWN },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    MessageHeader header = { (char *)"ce_type", (char *)cases[i].type,
                             cases[i].type != NULL ? strlen (cases[i].type) : 0 };
    MessageSource source = source_of (cases[i].value, &header, 1);
    SentenceEvent event = { .name = (char *)"Erased",
                            .match_path = (char *)cases[i].match_path,
                            .match_value = (char *)cases[i].match_value };
    g_auto (OwnEvent) own;
    gboolean fits = FALSE;
    g_autoptr (GError) error = NULL;
    g_assert_true (own_event_open (&own, &source, NULL));
    g_test_message ("%s %s", cases[i].type, cases[i].value);
    gboolean told = own_event_fits (&own, &event, &fits, &error);
    g_assert_cmpint (told ? (fits ? YES : NO) : UNKNOWN, ==, cases[i].fits);
    g_assert_true (told == (error == NULL));
  }
}

static void
test_due (void)
{
  static const struct {
    const char *value, *due; /* DUE: ""; none; NULL: an error */
  } cases[] = {
    { "{}", "" },
    { "{\"due\":null}", "" },
    { "{\"due\":\"2026-11-21\"}", "2026-11-21T00:00:00.000000Z" },
    { "{\"due\":\"2026-11-21T10:20:30+02:00\"}", "2026-11-21T08:20:30.000000Z" },
    { "{\"due\":\"2026-11-21T10:20:30.5Z\"}", "2026-11-21T10:20:30.500000Z" },
    { "{\"due\":\"2026-11-21T10:20:30\"}", NULL },
    { "{\"due\":\"2026-02-30\"}", NULL },
    { "{\"due\":\"tomorrow\"}", NULL },
    { "{\"due\":\"tomorrow!!\"}", NULL },
    { "{\"due\":\"\"}", NULL },
    { "{\"due\":1795000000}", NULL },
    { "{\"due\":{}}", NULL },
  };
  SentenceEvent event = { .name = (char *)"x", .due = (char *)"due" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    MessageSource source = source_of (cases[i].value, NULL, 0);
    g_auto (OwnEvent) own;
    g_autofree char *due = NULL;
    g_autoptr (GError) error = NULL;
    g_assert_true (own_event_open (&own, &source, NULL));
    gboolean ok = own_event_due (&own, &event, &due, &error);
    g_test_message ("%s: %s", cases[i].value, error != NULL ? error->message : due);
    g_assert_cmpstr (ok && due == NULL ? "" : due, ==, cases[i].due);
    g_assert_true (ok == (cases[i].due != NULL));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job/own_event/paths", test_paths);
  g_test_add_func ("/job/own_event/fits", test_fits);
  g_test_add_func ("/job/own_event/due", test_due);
  return g_test_run ();
}
