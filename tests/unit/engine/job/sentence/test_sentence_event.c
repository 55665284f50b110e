/* From sections to events, and what is refused of them, with its line. */
#include "engine/job/sentence/sentence_read.h"

#include <glib/gstdio.h>
#include <string.h>

static char *folder, *path;

/* The section of TEXT, the file that is written each time. */
static GPtrArray *
sections_with (const char *text)
{
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  GPtrArray *sections = sections_new ();
  sections_of_file (sections, path);
  return sections;
}

static void
test_event (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) sections = sections_with (
      "[event Erase]\ntopic = user-events\nformat = avro\n"
      "key = payload.user.id, tenant\nid = meta.n\ndue = payload.due_at\ndue_unit = us\n"
      "cancel_on = Keep\nmatch = type = a = b\nmatch = header.x-kind = gone\n"
      "match = .header.x = 5\nmatch = record = *\n");
  g_autoptr (SentenceEvent) event = sentence_event_read (sections->pdata[0], FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (event->name, ==, "Erase");
  g_assert_cmpstr (event->topic, ==, "user-events");
  g_assert_cmpint (event->format, ==, EVENT_AVRO);
  g_autofree char *key = g_strjoinv ("|", event->key);
  g_assert_cmpstr (key, ==, "payload.user.id|tenant");
  g_assert_cmpstr (event->id, ==, "meta.n");
  g_assert_cmpstr (event->due, ==, "payload.due_at");
  g_assert_cmpint (event->due_unit, ==, EPOCH_US);
  g_assert_cmpstr (event->cancel_on, ==, "Keep");
  static const char *const match[][2] = {
    { "type", "a = b" }, { "header.x-kind", "gone" }, { ".header.x", "5" }, { "record", "*" }
  };
  g_assert_cmpuint (event->match->len, ==, G_N_ELEMENTS (match));
  for (guint i = 0; i < G_N_ELEMENTS (match); i++) {
    const SentenceMatch *one = event->match->pdata[i];
    g_assert_cmpstr (one->path, ==, match[i][0]);
    g_assert_cmpstr (one->value, ==, match[i][1]);
  }
}

/* `*`: the columns, with bars between; else why it is refused. */
static const struct {
  const char *key, *paths, *want;
} KEYS_OF[] = {
  { "payload.user.id", "payload.user.id", "*" },
  { "person_id = payload.user.id", "payload.user.id", "*person_id" },
  { "Person_ID=id", "id", "*person_id" },
  { "tenant = t.id , \"Person Id\" = user.id", "t.id|user.id", "*tenant|\"Person Id\"" },
  { "person_id = a, b", NULL, "key: write a column for each path, or for none of them" },
  { "a, person_id = b", NULL, "key: write a column for each path, or for none of them" },
  { "a = b, a = c", NULL, "key: the column a twice" },
  { "a = b, A = c", NULL, "key: the column a twice" },
  { "person_id =", NULL, "key: '' is not a path" },
  { "= payload", NULL, "key: " },
  { "a.b = c", NULL, "key: 'a.b' is not a name" },
  { "a = b = c", NULL, "key: 'b = c' is not a path" },
};

static void
test_columns (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (KEYS_OF); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text
        = g_strdup_printf ("[event X]\ntopic = t\nmatch = any\nkey = %s\n", KEYS_OF[i].key);
    g_autoptr (GPtrArray) sections = sections_with (text);
    g_autoptr (SentenceEvent) event = sentence_event_read (sections->pdata[0], FALSE, &error);
    if (KEYS_OF[i].paths == NULL) {
      g_assert_null (event);
      g_assert_nonnull (strstr (error->message, KEYS_OF[i].want));
      continue;
    }
    g_assert_no_error (error);
    g_autofree char *paths = g_strjoinv ("|", event->key),
                    *columns = event->columns != NULL ? g_strjoinv ("|", event->columns) : NULL;
    g_assert_cmpstr (paths, ==, KEYS_OF[i].paths);
    g_assert_cmpstr (columns != NULL ? columns : "", ==, KEYS_OF[i].want + 1);
  }
}

static void
test_formats (void)
{
  static const struct {
    const char *word;
    EventFormat format;
  } formats[] = { { "json", EVENT_JSON },
                  { "JSON", EVENT_JSON },
                  { "CloudEvents", EVENT_JSON },
                  { "avro", EVENT_AVRO },
                  { "cloudevents", EVENT_JSON } };
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strdup_printf (
        "[event X]\ntopic = t\nkey = a\nmatch = type = X\nformat = %s\n", formats[i].word);
    g_autoptr (GPtrArray) sections = sections_with (text);
    g_autoptr (SentenceEvent) event = sentence_event_read (sections->pdata[0], FALSE, &error);
    g_assert_no_error (error);
    g_assert_cmpint (event->format, ==, formats[i].format);
  }
}

static const struct {
  const char *text;
  int line;
  const char *want;
} EVENTS[] = {
  { "topic = t\n", 1, "there is no 'key'" },
  { "key = a\n", 1, "there is no 'topic'" },
  { "topic = t\nkeys = a\n", 3, "unknown key 'keys' in [event X], did you mean 'key'?" },
  { "topic = t\nkey = a\nkey = b\n", 4, "'key' in [event X] appears twice, first in line 3" },
  { "topic = a b\nkey = a\n", 2, "topic: 'a b' cannot be a topic's name" },
  { "topic =\nkey = a\n", 2, "topic: " },
  { "topic = t\nkey = a..b\n", 3, "key: 'a..b' is not a path" },
  { "topic = t\nkey = a,\n", 3, "key: '' is not a path" },
  { "topic = t\nkey = \n", 3, "key: " },
  { "topic = t\nkey = a\ntype =\nmatch = any\n", 4, "type: the value is empty" },
  { "topic = t\nkey = a\nformat = xml\n", 4,
    "format: expected json, avro or CloudEvents, not 'xml'" },
  { "topic = t\nkey = a\ndue = \n", 4, "due: " },
  { "topic = t\nkey = a\ndue = b\ndue_unit = s\n", 5,
    "due_unit: expected days, ms or us, not 's'" },
  { "topic = t\nkey = a\nmatch = any\ndue_unit = ms\n", 5, "due_unit: there is no 'due'" },
  { "topic = t\nkey = a\nmatch = type\n", 4, "match: expected path = value" },
  { "topic = t\nkey = a\nmatch = type =\n", 4, "match: expected path = value" },
  { "topic = t\nkey = a\nmatch = any\nmatch = type = x\n", 4, "match: any stands alone" },
  { "topic = t\nkey = a\nmatch = type = x\nmatch = any\n", 5, "match: any stands alone" },
  { "topic = t\nkey = a\nmatch = any\nformat = avro\n", 4, "match: of Avro `record = *`" },
  { "topic = t\nkey = a\nmatch = ..a = x\n", 4, "match: '.a' is not a path" },
  { "topic = t\nkey = a\n", 1,
    "[event X] says nothing of messages without a type, and would take all of them. Add `match = "
    "header.ce_type = X` to take only those with this header; or a field that says what a message "
    "is, as in `match = type = X`; or `match = any`, if nothing else is in t" },
  { "topic = t\nkey = a\ncancel_on = X\n", 4, "cancel_on: an event cannot cancel itself" },
};

/* What takes no message without a type, or says which, is taken. */
static void
test_match_is_said (void)
{
  static const char *const texts[]
      = { "match = any", "match = type = X", "format = avro", "match = header.ce_type = X" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strdup_printf ("[event X]\ntopic = t\nkey = a\n%s\n", texts[i]);
    g_autoptr (GPtrArray) sections = sections_with (text);
    g_autoptr (SentenceEvent) event = sentence_event_read (sections->pdata[0], FALSE, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (event->match->len, ==, i % 2);
  }
}

static void
test_events_refused (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (EVENTS); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = g_strconcat ("[event X]\n", EVENTS[i].text, NULL),
                    *place = g_strdup_printf ("%s:%d: ", path, EVENTS[i].line);
    g_autoptr (GPtrArray) sections = sections_with (text);
    g_autoptr (SentenceEvent) event = sentence_event_read (sections->pdata[0], FALSE, &error);
    g_test_message ("%s\n%s", EVENTS[i].text, error != NULL ? error->message : "taken");
    g_assert_null (event);
    g_assert_true (g_str_has_prefix (error->message, place));
    g_assert_nonnull (strstr (error->message, EVENTS[i].want));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("event-XXXXXX", NULL);
  path = g_build_filename (folder, "jobs.conf", NULL);
  g_test_add_func ("/job/sentence_event/event", test_event);
  g_test_add_func ("/job/sentence_event/columns", test_columns);
  g_test_add_func ("/job/sentence_event/formats", test_formats);
  g_test_add_func ("/job/sentence_event/match_is_said", test_match_is_said);
  g_test_add_func ("/job/sentence_event/refused", test_events_refused);
  int failed = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
  return failed;
}
