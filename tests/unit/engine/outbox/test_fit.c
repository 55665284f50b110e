#include "engine/outbox/fit.h"
#include "avro/message.h"
#include "engine/outbox/bundle.h"

#include <string.h>

#define RUN "33c50bbf-59ca-51b4-a4cd-84473abeb18f"
#define TYPE "pruned.outcomes.RunFinished"

/* The only message of a bundle with the outcome of a run. */
static KafkaMessage *
outcome (const char *key, const char *result, const char *error)
{
  const char *const fields[] = { RUN, "7", "a.b", "finished", result, error };
  g_autoptr (Bundle) bundle = bundle_new (RUN, 7, "a.b", 3);
  bundle_add (bundle, "p.outcomes", -1, key, TYPE, "id-1", fields);
  g_autoptr (GPtrArray) messages
      = bundle_read (bundle->stored->data, bundle->stored->len, "p", NULL);
  return kafka_message_copy (messages->pdata[0]);
}

static json_t *
content_of (const KafkaMessage *message)
{
  const MessageSource source = { .value = message->value,
                                 .value_len = message->value_len,
                                 .headers = message->headers,
                                 .n_headers = message->n_headers,
                                 .space = "pruned.outcomes." };
  MessageDecoded decoded = { 0 };
  g_autoptr (GError) error = NULL;
  g_assert_true (message_decode (&source, &decoded, &error));
  json_t *content = json_incref (decoded.content);
  message_decoded_clear (&decoded);
  return content;
}

static const char *
text (const json_t *content, const char *field)
{
  return json_string_value (json_object_get (content, field));
}

static void
test_texts_also_those_in_json_and_the_key_are_cut (void)
{
  g_autofree char *filler
      = g_strnfill (300, 'x'),
      *result = g_strdup_printf ("{\"status\":\"completed\",\"reason\":\"%s\",\"list\":[1,\"%s\"]}",
                                 filler, filler);
  g_autoptr (KafkaMessage) whole = outcome (filler, result, filler);
  g_autoptr (KafkaMessage) cut = fit_cut (whole, 100);
  g_autofree char *short_text = g_strdup_printf ("%.100s... (200 bytes more)", filler);
  g_autoptr (json_t) content = content_of (cut);
  g_assert_cmpmem (cut->key, cut->key_len, short_text, strlen (short_text));
  g_assert_cmpstr (text (content, "run_id"), ==, RUN);
  g_assert_cmpint (json_integer_value (json_object_get (content, "step")), ==, 7);
  g_assert_cmpstr (text (content, "error"), ==, short_text);
  const json_t *in_json = json_object_get (content, "result");
  g_assert_cmpstr (text (in_json, "status"), ==, "completed");
  g_assert_cmpstr (text (in_json, "reason"), ==, short_text);
  g_assert_cmpstr (json_string_value (json_array_get (json_object_get (in_json, "list"), 1)), ==,
                   short_text);
  g_assert_cmpuint (cut->n_headers, ==, whole->n_headers);
  g_assert_cmpstr (cut->topic, ==, "p.outcomes");
  g_assert_null (fit_cut (cut, 200));
  g_autofree char *digits = g_strnfill (300, '7'),
                  *number = g_strdup_printf ("{\"n\":%s,\"reason\":\"%s\"}", digits, filler);
  g_autoptr (KafkaMessage) with_number = outcome (RUN, number, NULL),
                           same_number = fit_cut (with_number, 100);
  g_autoptr (json_t) about = content_of (same_number);
  g_assert_cmpstr (json_exact (json_object_get (json_object_get (about, "result"), "n")), ==,
                   digits);
}

static void
test_what_has_no_long_text_or_is_no_outcome_is_left (void)
{
  g_autoptr (KafkaMessage) small = outcome (RUN, "{}", NULL);
  g_autoptr (KafkaMessage) foreign = kafka_message_new ("p.outcomes", -1);
  g_assert_null (fit_cut (small, 100));
  kafka_message_set_value (foreign, "{}", 2);
  g_assert_null (fit_cut (foreign, 1));
}

static void
test_the_log_names_run_record_and_key (void)
{
  g_autofree char *key = g_strnfill (1000, 'k');
  g_autoptr (KafkaMessage) message = outcome (key, "{}", NULL);
  g_autoptr (json_t) about = fit_about (message, "another");
  g_assert_cmpstr (text (about, "job"), ==, "a.b");
  g_assert_cmpstr (text (about, "run_id"), ==, RUN);
  g_assert_cmpstr (text (about, "record"), ==, "RunFinished");
  g_assert_cmpuint (strlen (text (about, "key")), <, 250);
  g_assert_cmpint (json_integer_value (json_object_get (about, "bytes")), >, 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/fit/texts_are_cut", test_texts_also_those_in_json_and_the_key_are_cut);
  g_test_add_func ("/fit/others_are_left", test_what_has_no_long_text_or_is_no_outcome_is_left);
  g_test_add_func ("/fit/about", test_the_log_names_run_record_and_key);
  return g_test_run ();
}
