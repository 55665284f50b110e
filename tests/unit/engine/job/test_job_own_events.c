/* [event] sections that are refused, and the jobs that name them: topics that are not for them,
 * schemas that cannot be read, and events that withdraw each other. */
#include "engine/job/job_own_events.h"

#include "support/own_jobs.h"

#include <string.h>
#include <sys/stat.h>

#define SAYS "[retention]\ntable = people\non = E\nset = email = NULL\n[event E]\n"

static void
begin (const char *conf, const char *event)
{
  g_autofree char *text = g_strconcat (SAYS, event, "\n", NULL);
  own_jobs_begin ();
  own_jobs_write ("../pruned.conf", conf);
  own_jobs_write ("people.erase.conf", text);
}

/* WHY: of the event, at a line of the file; NULL: it is taken. */
static void
assert_event (const char *conf, const char *event, const char *why)
{
  begin (conf, event);
  g_autofree char *place = g_strconcat ("people.erase.conf:", why, NULL),
                  *of_job
                  = g_strconcat ("people.erase.conf:3: on: [event E] is refused: ", place, NULL);
  own_jobs_expect (event, "people.erase", why != NULL ? of_job : NULL);
  g_assert_cmpstr (own_jobs_refused ("event E"), ==, why != NULL ? place : NULL);
}

/* --- topics --- */

#define PREFIX "[topics]\nprefix = t\n"
#define FROM ": events come from a topic of the application"
#define OURS(topic) "6: topic: " topic " is one of pruned's own ([topics] prefix)" FROM

static void
test_a_topic_of_pruned_or_of_kafka (void)
{
  static const char *const cases[][3] = {
    { PREFIX, "topic = t.ticks\nkey = id\nmatch = any", OURS ("t.ticks") },
    { PREFIX, "topic = t.events\nkey = id\nmatch = any", OURS ("t.events") },
    { PREFIX, "topic = t.clock\nkey = id\nmatch = any", OURS ("t.clock") },
    { PREFIX, "topic = t.dead\nkey = id\nmatch = any", OURS ("t.dead") },
    { PREFIX, "topic = t.work.q\nkey = id\nmatch = any", OURS ("t.work.q") },
    { PREFIX, "topic = t.work.no.such\nkey = id\nmatch = any", OURS ("t.work.no.such") },
    { "", "topic = pruned.ticks\nkey = id\nmatch = any", OURS ("pruned.ticks") },
    { PREFIX, "topic = __consumer_offsets\nkey = id\nmatch = any",
      "6: topic: __consumer_offsets is one of Kafka's own" FROM },
    { PREFIX, "topic = pruned.ticks\nkey = id\nmatch = any", NULL },
    { PREFIX, "topic = t.outcomes\nkey = id\nmatch = any", NULL },
    { PREFIX, "topic = t.ticksy\nkey = id\nmatch = any", NULL },
    { PREFIX, "topic = t.workers\nkey = id\nmatch = any", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_event (cases[i][0], cases[i][1], cases[i][2]);
}

/* --- schemas --- */

#define AT "people.erase.conf:9: schema: "

static void
test_a_schema_that_cannot_be_read (void)
{
  static const char *const cases[][2] = {
    { "bad.avsc", AT "bad.avsc: not an Avro schema: there is no type Nothing" },
    { "text.avsc",
      AT "text.avsc: not an Avro schema: line 1, column 6: invalid token near 'record'" },
    { "pipe.avsc", AT "pipe.avsc: this is no file" },
    { "good.avsc", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *event
        = g_strdup_printf ("topic = a\nkey = a\nformat = avro\nschema = %s", cases[i][0]);
    begin ("", event);
    own_jobs_write ("good.avsc", "{\"type\": \"record\", \"name\": \"A\", \"fields\": "
                                 "[{\"name\": \"a\", \"type\": \"long\"}]}");
    own_jobs_write ("bad.avsc", "{\"type\": \"record\", \"name\": \"A\", \"fields\": "
                                "[{\"name\": \"a\", \"type\": \"Nothing\"}]}");
    own_jobs_write ("text.avsc", "record A");
    g_assert_cmpint (mkfifo (own_jobs_path ("pipe.avsc"), 0600), ==, 0);
    g_assert_cmpstr (own_jobs_load (), ==, NULL);
    g_assert_cmpstr (own_jobs_refused ("event E"), ==, cases[i][1]);
  }
}

static void
test_a_schema_that_is_not_there (void)
{
  begin ("", "topic = a\nkey = a\nformat = avro\nschema = nowhere.avsc");
  g_assert_cmpstr (own_jobs_load (), ==, NULL);
  g_assert_true (g_str_has_prefix (own_jobs_refused ("event E"), AT "Failed to open file"));
}

static void
test_without_a_registry_avro_needs_a_schema (void)
{
  const char *event = "topic = a\nkey = a\nformat = avro";
  assert_event ("", event,
                "5: format = avro needs a schema: write `schema = FILE.avsc`, or set [registry] "
                "url");
  assert_event ("[registry]\nurl = http://127.0.0.1:1\n", event, NULL);
}

/* --- events that withdraw each other --- */

/* Whatever stands first: A is withdrawn by B, that by C, and C by an event that is not there. */
static void
test_an_event_whose_cancelling_event_is_refused (void)
{
  /* The order, and the lines of `cancel_on` of A, B and C. */
  static const struct {
    const char *order;
    int lines[3];
  } cases[] = { { "ABC", { 8, 13, 18 } }, { "CBA", { 18, 13, 8 } }, { "BAC", { 13, 8, 18 } } };
  static const char *const follows[] = { "B", "C", "Nowhere" };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) text = g_string_new ("[retention]\ntable = items\non = A\n");
    for (const char *name = cases[i].order; *name != '\0'; name++)
      g_string_append_printf (
          text, "[event %c]\ntopic = app-items\nkey = id\nmatch = any\ncancel_on = %s\n", *name,
          follows[*name - 'A']);
    g_autofree char *want = g_strdup_printf (
        "leave.conf:3: on: [event A] is refused: leave.conf:%d: cancel_on: [event B] is refused: "
        "leave.conf:%d: cancel_on: [event C] is refused: leave.conf:%d: cancel_on: there is no "
        "[event Nowhere]: write this section, with 'topic' and 'key'",
        cases[i].lines[0], cases[i].lines[1], cases[i].lines[2]);
    own_jobs_begin ();
    own_jobs_write ("leave.conf", text->str);
    own_jobs_expect (cases[i].order, "leave", want);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/job_own_events/topics", test_a_topic_of_pruned_or_of_kafka);
  g_test_add_func ("/job_own_events/schemas", test_a_schema_that_cannot_be_read);
  g_test_add_func ("/job_own_events/no_schema", test_a_schema_that_is_not_there);
  g_test_add_func ("/job_own_events/registry", test_without_a_registry_avro_needs_a_schema);
  g_test_add_func ("/job_own_events/cancel", test_an_event_whose_cancelling_event_is_refused);
  return config_test_run ();
}
