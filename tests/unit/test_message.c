#include "support/message.h"
#include <pthread.h>
#include <string.h>

static void
assert_content (const json_t *content, const char *wanted)
{
  g_autofree char *text = json_canonical (content);
  g_assert_cmpstr (text, ==, wanted);
}

static const struct {
  const char *type, *hex, *content;
} samples[] = {
  { "pruned.Tick", TICK_HEX,
    "{\"args\":{},\"job\":\"members.remove_expired\",\"scheduled_at\":\"2026-11-21T00:10:00.000000Z\"}" },
  { "pruned.Tick", TICK_DEFAULTS_HEX, "{\"args\":{},\"job\":\"j\",\"scheduled_at\":null}" },
  { "pruned.Work", WORK_HEX,
    "{\"args\":{},\"attempt\":1,\"cursor\":{\"expires_at\":\"2026-11-20\",\"id\":12345},"
    "\"due_at\":\"2026-11-21T00:10:10.123456Z\",\"job\":\"members.remove_expired\",\"run_id\":\"" RUN
    "\",\"scheduled_at\":\"2026-11-21T00:10:00.000000Z\",\"step\":3}" },
  { "pruned.events.MemberExpirySet", EXPIRY_HEX,
    "{\"expires_at\":\"2026-12-01\",\"member_id\":9223372036854775807}" },
  { "pruned.events.MemberExpirySet", EXPIRY_NULL_HEX, "{\"expires_at\":null,\"member_id\":-5}" },
  { "pruned.events.ObjectsMarkedForDeletion", OBJECTS_HEX, "{}" },
  { "pruned.outcomes.MemberRemoved", REMOVED_HEX,
    "{\"access_level\":50,\"expires_at\":\"1969-12-31\",\"member_id\":42,\"reason\":\"expired\","
    "\"root_namespace_id\":7,\"run_id\":\"" RUN
    "\",\"source_id\":7,\"source_type\":\"Namespace\",\"step\":0,\"user_id\":null}" },
  { "pruned.outcomes.MemberDeletionProcessed", PROCESSED_HEX,
    "{\"denied_member_ids\":[5,-6,4611686018427387904],\"namespace_id\":3,\"removed\":4,\"run_id\":\"" RUN
    "\",\"schedule_id\":1,\"step\":2,\"user_id\":2}" },
  { "pruned.outcomes.RunFinished", FINISHED_HEX,
    "{\"error\":null,\"job\":\"j\",\"result\":{\"status\":\"completed\",\"updated_rows\":3},"
    "\"run_id\":\"" RUN "\",\"state\":\"finished\",\"step\":2}" },
};

static void
test_encodes_as_others_do (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) content = json_of (samples[i].content);
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_assert_true (message_encode (samples[i].type, content, out, &error));
    g_autofree char *hex = hex_of (out);
    g_assert_cmpstr (hex, ==, samples[i].hex);
  }
}

static void
decode_from_topic_of (const char *type, const guint8 *value, gsize len, MessageDecoded *out)
{
  GError *error = NULL;
  MessageSource source = { .value = value, .value_len = len, .type = type, .space = type };
  g_assert_true (message_decode (&source, out, &error));
  g_assert_no_error (error);
}

static void
test_decodes_what_others_encode (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    g_autoptr (GByteArray) bytes = bytes_of (samples[i].hex);
    MessageDecoded decoded;
    decode_from_topic_of (samples[i].type, bytes->data, bytes->len, &decoded);
    g_assert_cmpstr (decoded.type, ==, samples[i].type);
    assert_content (decoded.content, samples[i].content);
    message_decoded_clear (&decoded);
  }
}

/* The content is itself a message in JSON. */
static void
test_json_says_the_same (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++) {
    const char *text = samples[i].content;
    MessageDecoded decoded;
    decode_from_topic_of (samples[i].type, (const guint8 *)text, strlen (text), &decoded);
    assert_content (decoded.content, text);
    message_decoded_clear (&decoded);
  }
}

/* Two blocks, the first with its size in bytes; fastavro writes one, others may not. */
static void
test_arrays_in_blocks (void)
{
  g_autoptr (GByteArray) bytes = bytes_of ("c30172b8a744c811ad35" RUN_HEX "0402040608"
                                           "03"
                                           "04"
                                           "0a0b"
                                           "02"
                                           "0e"
                                           "00");
  MessageDecoded decoded;
  decode_from_topic_of ("pruned.outcomes.MemberDeletionProcessed", bytes->data, bytes->len,
                        &decoded);
  g_autofree char *ids = json_text (json_object_get (decoded.content, "denied_member_ids"));
  g_assert_cmpstr (ids, ==, "[5,-6,7]");
  message_decoded_clear (&decoded);
}

static char *
args_text_of (const guint8 *value, gsize len)
{
  MessageDecoded decoded;
  decode_from_topic_of ("pruned.Tick", value, len, &decoded);
  char *text = g_steal_pointer (&decoded.args_text);
  message_decoded_clear (&decoded);
  return text;
}

static void
test_args_of_a_tick_keep_their_numbers (void)
{
  static const char *const bodies[][2] = {
    { "{\"job\":\"j\"}", "{}" },
    { "{\"job\":\"j\",\"args\":null}", "{}" },
    { "{\"job\":\"j\",\"args\":{}}", "{}" },
    { "{ \"args\" : { \"b\" : 1.0, \"a\" : 12345678901234567890 } , \"job\" : \"j\" }",
      "{\"a\":12345678901234567890,\"b\":1.0}" },
    { "{\"job\":\"}\\\",{\",\"args\":{\"z\":[1,{\"y\":\"]}\\\\\\\"\"},-0,1E5],\"\\u00fc\":\"\\u00fc\\n\"}}",
      "{\"z\":[1,{\"y\":\"]}\\\\\\\"\"},-0,1E5],\"ü\":\"ü\\n\"}" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++) {
    g_autofree char *text = args_text_of ((const guint8 *)bodies[i][0], strlen (bodies[i][0]));
    g_assert_cmpstr (text, ==, bodies[i][1]);
  }
  g_autoptr (GByteArray) bytes = bytes_of (TICK_ARGS_HEX);
  g_autofree char *text = args_text_of (bytes->data, bytes->len);
  g_assert_cmpstr (text, ==, "{\"a\":12345678901234567890,\"b\":1.0}");
}

static void
test_headers_of_cloudevents (void)
{
  MessageHeader headers[] = {
    { "ce_specversion", "1.0", 3 },
    { "ce_type", "pruned.events.PlaceholderUserOrphaned", 37 },
    { "ce_id", "8e1", 3 },
    { "ce_source", "/app/users", 10 },
    { "ce_time", "2026-11-21T02:10:00.5+02:00", 27 },
    { "content-type", "Application/JSON; charset=utf-8", 31 },
    { "ce_id", "8e1", 3 },
    { "trace", NULL, 0 },
  };
  const char *body = "{\"placeholder_user_id\":9}";
  MessageSource source = { (const guint8 *)body,   strlen (body), headers,
                           G_N_ELEMENTS (headers), NULL,          "pruned.events." };
  MessageDecoded decoded;
  g_assert_true (message_decode (&source, &decoded, NULL));
  g_assert_cmpstr (decoded.type, ==, "pruned.events.PlaceholderUserOrphaned");
  g_assert_cmpstr (decoded.ce_id, ==, "8e1");
  g_assert_cmpstr (decoded.ce_source, ==, "/app/users");
  g_assert_cmpint (decoded.ce_time_us, ==, G_GINT64_CONSTANT (1795219800500000));
  g_assert_null (decoded.args_text);
  message_decoded_clear (&decoded);
}

static void
test_identity_that_is_empty_is_not_given (void)
{
  MessageHeader headers[] = { { "ce_id", "", 0 }, { "ce_source", NULL, 0 } };
  const char *body = "{\"job\":\"j\"}";
  MessageSource source
      = { (const guint8 *)body, strlen (body), headers, 2, "pruned.Tick", "pruned.Tick" };
  MessageDecoded decoded;
  g_assert_true (message_decode (&source, &decoded, NULL));
  g_assert_null (decoded.ce_id);
  g_assert_null (decoded.ce_source);
  g_assert_cmpint (decoded.ce_time_us, ==, 0);
  message_decoded_clear (&decoded);
}

static void *
encode_and_decode (void *data)
{
  const guint first = GPOINTER_TO_UINT (data);
  for (guint i = 0; i < 2000; i++) {
    guint sample = (first + i) % G_N_ELEMENTS (samples);
    g_autoptr (json_t) content = json_of (samples[sample].content);
    g_autoptr (GByteArray) out = g_byte_array_new ();
    MessageDecoded decoded;
    g_assert_true (message_encode (samples[sample].type, content, out, NULL));
    decode_from_topic_of (samples[sample].type, out->data, out->len, &decoded);
    assert_content (decoded.content, samples[sample].content);
    message_decoded_clear (&decoded);
  }
  return NULL;
}

static void
test_many_threads (void)
{
  pthread_t threads[4];
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_cmpint (pthread_create (&threads[i], NULL, encode_and_decode, GUINT_TO_POINTER (i)),
                     ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    pthread_join (threads[i], NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/message/encodes_as_others_do", test_encodes_as_others_do);
  g_test_add_func ("/message/decodes_what_others_encode", test_decodes_what_others_encode);
  g_test_add_func ("/message/json_says_the_same", test_json_says_the_same);
  g_test_add_func ("/message/arrays_in_blocks", test_arrays_in_blocks);
  g_test_add_func ("/message/args_of_a_tick_keep_their_numbers",
                   test_args_of_a_tick_keep_their_numbers);
  g_test_add_func ("/message/headers_of_cloudevents", test_headers_of_cloudevents);
  g_test_add_func ("/message/identity_that_is_empty_is_not_given",
                   test_identity_that_is_empty_is_not_given);
  g_test_add_func ("/message/many_threads", test_many_threads);
  return g_test_run ();
}
