#include "avro/message.h"
#include "base/error.h"
#include <pthread.h>
#include <string.h>

#define RUN "33c50bbf-59ca-51b4-a4cd-84473abeb18f"
#define RUN_HEX "4833336335306262662d353963612d353162342d613463642d383434373361626562313866"

/* Values as fastavro 1.13 writes them, with the frame of single-object encoding before them. */
#define TICK_HEX                                                                                  \
  "c3015e7c9269b442011b2c6d656d626572732e72656d6f76655f65787069726564028098c8e7c5afb006047b7d"
#define TICK_DEFAULTS_HEX "c3015e7c9269b442011b026a00047b7d"
#define TICK_ARGS_HEX                                                                             \
  "c3015e7c9269b442011b026a004e7b202262223a20312e302c202261223a203132333435363738393031323334"    \
  "353637383930207d"
#define WORK_HEX                                                                                  \
  "c3019a2a5496e97f43f4" RUN_HEX "2c6d656d626572732e72656d6f76655f65787069726564"                 \
  "06028098c8e7c5afb00680fb9bf1c5afb006047b7d024c7b22657870697265735f6174223a22323032362d31312d"  \
  "3230222c226964223a31323334357d"
#define EXPIRY_HEX "c3018d78a00a9c7f9a6efeffffffffffffffff0102e8c402"
#define EXPIRY_NULL_HEX "c3018d78a00a9c7f9a6e0900"
#define OBJECTS_HEX "c301509bfd18d74f41d3"
#define REMOVED_HEX                                                                               \
  "c3016dbbbef4c8959854" RUN_HEX "005400124e616d6573706163650e020e6402010e65787069726564"
#define PROCESSED_HEX                                                                             \
  "c30172b8a744c811ad35" RUN_HEX "0402040608060a0b8080808080808080800100"
#define FINISHED_HEX                                                                              \
  "c301f680595781eaa1a8" RUN_HEX "04026a1066696e69736865644e7b22737461747573223a22636f6d706c6574" \
  "6564222c22757064617465645f726f7773223a337d00"

static GByteArray *
bytes_of (const char *hex)
{
  GByteArray *bytes = g_byte_array_new ();
  for (const char *at = hex; *at != '\0'; at += 2) {
    guint8 byte = g_ascii_xdigit_value (at[0]) * 16 + g_ascii_xdigit_value (at[1]);
    g_byte_array_append (bytes, &byte, 1);
  }
  return bytes;
}

static char *
hex_of (const GByteArray *bytes)
{
  GString *hex = g_string_new (NULL);
  for (guint i = 0; i < bytes->len; i++)
    g_string_append_printf (hex, "%02x", bytes->data[i]);
  return g_string_free (hex, FALSE);
}

static json_t *
json_of (const char *text)
{
  GError *error = NULL;
  json_t *value = json_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  return value;
}

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
  g_autoptr (GByteArray) bytes
      = bytes_of ("c30172b8a744c811ad35" RUN_HEX "0402040608" "03" "04" "0a0b" "02" "0e" "00");
  MessageDecoded decoded;
  decode_from_topic_of ("pruned.outcomes.MemberDeletionProcessed", bytes->data, bytes->len,
                        &decoded);
  g_autofree char *ids = json_text (json_object_get (decoded.content, "denied_member_ids"));
  g_assert_cmpstr (ids, ==, "[5,-6,7]");
  message_decoded_clear (&decoded);
}

static void
assert_texts (const char *type, const char *const *fields, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) out = g_byte_array_new ();
  g_assert_true (message_encode_texts (type, fields, out, &error));
  g_autofree char *hex = hex_of (out);
  g_assert_cmpstr (hex, ==, wanted);
}

static void
test_encodes_columns_of_text (void)
{
  assert_texts ("pruned.Work",
                (const char *[]){ RUN, "members.remove_expired", "3", "1", "2026-11-21 00:10:00+00",
                                  "2026-11-21 00:10:10.123456+00", "{}",
                                  "{\"expires_at\":\"2026-11-20\",\"id\":12345}" },
                WORK_HEX);
  assert_texts ("pruned.Tick",
                (const char *[]){ "members.remove_expired", "2026-11-21T02:10:00+02:00", NULL },
                TICK_HEX);
  assert_texts ("pruned.outcomes.MemberRemoved",
                (const char *[]){ RUN, "0", "42", NULL, "Namespace", "7", "7", "50", "1969-12-31",
                                  "expired" },
                REMOVED_HEX);
  assert_texts ("pruned.outcomes.MemberDeletionProcessed",
                (const char *[]){ RUN, "2", "1", "2", "3", "4", "{5,-6,4611686018427387904}" },
                PROCESSED_HEX);
  assert_texts ("pruned.outcomes.MemberDeletionProcessed",
                (const char *[]){ RUN, "2", "1", "2", "3", "4", "[5,-6,4611686018427387904]" },
                PROCESSED_HEX);
  assert_texts ("pruned.outcomes.MemberDeletionProcessed",
                (const char *[]){ RUN, "2", "1", "2", "3", "4", "{}" },
                "c30172b8a744c811ad35" RUN_HEX "040204060800");
}

/* Dates that PostgreSQL knows and nobody expects: the outcome goes out all the same. */
static void
test_dates_out_of_the_way (void)
{
  static const struct {
    const char *date, *branch;
  } dates[] = {
    { "0001-01-01", "02f3e457" },      { "0001-01-01 BC", "02cfea57" },
    { "10000-01-01", "02c282e602" },   { "2024-02-29", "028cb502" },
    { "infinity", "00" },              { "-infinity", "00" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (dates); i++) {
    g_autofree char *wanted
        = g_strconcat ("c3018d78a00a9c7f9a6e", "0e", dates[i].branch, NULL);
    assert_texts ("pruned.events.MemberExpirySet", (const char *[]){ "7", dates[i].date }, wanted);
    g_autoptr (json_t) content = json_pack ("{s:i,s:s}", "member_id", 7, "expires_at", dates[i].date);
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_assert_true (message_encode ("pruned.events.MemberExpirySet", content, out, NULL));
    g_autofree char *hex = hex_of (out);
    g_assert_cmpstr (hex, ==, wanted);
  }
}

static void
test_text_that_is_not_utf8_does_not_stop_an_outcome (void)
{
  assert_texts ("pruned.Tick", (const char *[]){ "a\xff", NULL, NULL },
                "c3015e7c9269b442011b" "0861efbfbd" "00" "047b7d");
}

static void
test_what_does_not_fit_is_a_bug (void)
{
  static const struct {
    const char *type, *content, *message;
  } bugs[] = {
    { "pruned.Nothing", "{}", "unknown type pruned.Nothing" },
    { "pruned.Tick", "{}", "pruned.Tick: field job: is missing" },
    { "pruned.Tick", "{\"job\":null}", "pruned.Tick: field job: may not be null" },
    { "pruned.Tick", "{\"job\":7}", "pruned.Tick: field job: not a string" },
    { "pruned.Tick", "{\"job\":\"j\",\"when\":1}", "pruned.Tick: unknown field when" },
    { "pruned.Tick", "{\"job\":\"j\",\"args\":\"{}\"}", "pruned.Tick: field args: not a JSON object" },
    { "pruned.events.MemberExpirySet", "{\"member_id\":1}",
      "pruned.events.MemberExpirySet: field expires_at: is missing" },
    { "pruned.events.MemberExpirySet", "{\"member_id\":1,\"expires_at\":\"2026-13-01\"}",
      "pruned.events.MemberExpirySet: field expires_at: '2026-13-01' is not a date" },
    { "pruned.events.MemberExpirySet", "{\"member_id\":1.5,\"expires_at\":null}",
      "pruned.events.MemberExpirySet: field member_id: not an integer" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bugs); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) content = json_of (bugs[i].content);
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_assert_false (message_encode (bugs[i].type, content, out, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_cmpstr (error->message, ==, bugs[i].message);
    g_assert_cmpuint (out->len, ==, 0);
  }
}

static void
test_lists_that_do_not_fit (void)
{
  static const char *const lists[] = { "", "{", "{1]", "[1}", "1,2", "{1,}", "{NULL}", "{{1}}", "{1, 2}" };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    const char *const fields[] = { RUN, "2", "1", "2", "3", "4", lists[i] };
    g_autoptr (GError) error = NULL;
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_assert_false (message_encode_texts ("pruned.outcomes.MemberDeletionProcessed", fields, out, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_nonnull (strstr (error->message, "field denied_member_ids: "));
  }
}

static void
test_texts_that_do_not_fit (void)
{
  static const char *const columns[][5] = {
    { NULL, NULL, NULL, "field job: may not be null" },
    { "j", "yesterday", NULL, "field scheduled_at: time 'yesterday' is not RFC 3339" },
    { "j", "2026-11-21 00:10:00", NULL, "field scheduled_at: time '2026-11-21" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_assert_false (message_encode_texts ("pruned.Tick", columns[i], out, &error));
    g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
    g_assert_nonnull (strstr (error->message, columns[i][3]));
  }
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
  MessageSource source = { (const guint8 *)body, strlen (body), headers, G_N_ELEMENTS (headers), NULL,
                           "pruned.events." };
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
  MessageSource source = { (const guint8 *)body, strlen (body), headers, 2, "pruned.Tick",
                           "pruned.Tick" };
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
  g_test_add_func ("/message/encodes_columns_of_text", test_encodes_columns_of_text);
  g_test_add_func ("/message/dates_out_of_the_way", test_dates_out_of_the_way);
  g_test_add_func ("/message/text_that_is_not_utf8_does_not_stop_an_outcome",
                   test_text_that_is_not_utf8_does_not_stop_an_outcome);
  g_test_add_func ("/message/what_does_not_fit_is_a_bug", test_what_does_not_fit_is_a_bug);
  g_test_add_func ("/message/texts_that_do_not_fit", test_texts_that_do_not_fit);
  g_test_add_func ("/message/lists_that_do_not_fit", test_lists_that_do_not_fit);
  g_test_add_func ("/message/args_of_a_tick_keep_their_numbers",
                   test_args_of_a_tick_keep_their_numbers);
  g_test_add_func ("/message/headers_of_cloudevents", test_headers_of_cloudevents);
  g_test_add_func ("/message/identity_that_is_empty_is_not_given",
                   test_identity_that_is_empty_is_not_given);
  g_test_add_func ("/message/many_threads", test_many_threads);
  return g_test_run ();
}
