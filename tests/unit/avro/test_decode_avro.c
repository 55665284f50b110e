#include "avro/decode.h"
#include "base/error.h"
#include "support/message.h"
#include <string.h>

static void
test_frames (void)
{
  TICK ("\xc3\x01", "undecodable: the bytes end within the schema's fingerprint");
  TICK ("\xc3\x01\1\2\3\4\5\6\7", "undecodable: the bytes end within the schema's fingerprint");
  TICK ("\xc3\x01\1\2\3\4\5\6\7\x08\0", "unknown schema 0807060504030201");
  TICK (EXPIRY_FRAME "\2\0", "unexpected type " EXPIRY);
  EVENT (TICK_FRAME "\2j\0\4{}", "undecodable: the value is a pruned.Tick, ce_type says " EXPIRY);
}

/* A reader that trusts the lengths would write outside its buffers, leak or loop on most of these.
 */
static void
test_bytes_that_are_no_datum (void)
{
  TICK (TICK_FRAME, "undecodable: field job: the bytes end too early");
  TICK (TICK_FRAME "\2j", "undecodable: field scheduled_at: the bytes end too early");
  TICK (TICK_FRAME "\2j\0\4{",
        "undecodable: field args: its length is not that of the bytes that follow");
  TICK (TICK_FRAME "\2j\0\4{}x", "undecodable: 1 bytes too many");
  TICK (TICK_FRAME "\2j\4\4{}", "undecodable: field scheduled_at: no such branch of its union");
  TICK (TICK_FRAME "\2j\1\4{}", "undecodable: field scheduled_at: no such branch of its union");
  TICK (TICK_FRAME "\1j\0\4{}",
        "undecodable: field job: its length is not that of the bytes that follow");
  TICK (TICK_FRAME "\3j\0\4{}",
        "undecodable: field job: its length is not that of the bytes that follow");
  TICK (TICK_FRAME "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01j",
        "undecodable: field job: its length is not that of the bytes that follow");
  TICK (TICK_FRAME "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02j",
        "undecodable: field job: a number of more than 64 bits");
  TICK (TICK_FRAME "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1j",
        "undecodable: field job: a number of more than 64 bits");
  TICK (TICK_FRAME "\2\xff\0\4{}", "undecodable: field job: not UTF-8, or a NUL byte");
  TICK (TICK_FRAME "\4j\0\0\4{}", "undecodable: field job: not UTF-8, or a NUL byte");
  TICK (TICK_FRAME "\2j\0\0", "undecodable: field args: line 1, column 1: a digit is missing");
  TICK (TICK_FRAME "\2j\0\4[]", "undecodable: field args: expected an object");
  TICK (TICK_FRAME "\2j\2\1\4{}",
        "undecodable: field scheduled_at: a time outside the years 1970 to 9999");
  TICK (TICK_FRAME "\2j\2\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\4{}",
        "undecodable: field scheduled_at: a time outside the years 1970 to 9999");
  EVENT (EXPIRY_FRAME "\2\2\x80\x80\x80\x80\x20",
         "undecodable: field expires_at: not within 32 bits");
  EVENT (EXPIRY_FRAME "\2\2\xfe\xff\xff\xff\x0f",
         "undecodable: field expires_at: a date outside the years 1 to 9999");
}

static void
assert_list (const char *tail, gsize tail_len, const char *wanted)
{
  const char *type = "pruned.outcomes.MemberDeletionProcessed";
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_byte_array_append (bytes, (const guint8 *)PROCESSED_FRAME "\x48" RUN "\4\2\4\6\x08",
                       10 + 1 + strlen (RUN) + 5);
  g_byte_array_append (bytes, (const guint8 *)tail, tail_len);
  MessageSource source
      = { .value = bytes->data, .value_len = bytes->len, .type = type, .space = type };
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==, wanted);
}

static void
test_lists_that_are_none (void)
{
  assert_list ("", 0, "undecodable: field denied_member_ids: the bytes end too early");
  assert_list ("\2\2", 2, "undecodable: field denied_member_ids: the bytes end too early");
  assert_list ("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10,
               "undecodable: field denied_member_ids: the bytes end too early");
  assert_list ("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\2\2", 12,
               "undecodable: field denied_member_ids: more items than bytes");
}

static void
test_run_id_must_be_one (void)
{
  const char *value = WORK_FRAME "\2x\2j\0\0\0\0\4{}\0";
  MessageSource source = {
    .value = (const guint8 *)value, .value_len = 22, .type = "pruned.Work", .space = "pruned.Work"
  };
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==, "undecodable: field run_id: not a UUID");
}

/* However a good message is damaged, it is either decoded or refused with a reason. */
static void
test_random_damage (void)
{
  static const char good[] = PROCESSED_FRAME "\x48" RUN "\4\2\4\6\x08\6\12\13\16\0";
  const char *type = "pruned.outcomes.MemberDeletionProcessed";
  for (guint round = 0; round < 20000; round++) {
    guint8 bytes[sizeof good - 1];
    memcpy (bytes, good, sizeof bytes);
    for (int hits = g_test_rand_int_range (1, 4); hits > 0; hits--)
      bytes[g_test_rand_int_range (10, sizeof bytes)] = g_test_rand_int_range (0, 256);
    MessageSource source = { .value = bytes,
                             .value_len = g_test_rand_int_range (10, sizeof bytes + 1),
                             .type = type,
                             .space = type };
    MessageDecoded decoded;
    g_autoptr (GError) error = NULL;
    if (message_decode (&source, &decoded, &error))
      g_assert_cmpuint (json_object_size (decoded.content), ==, 7);
    else
      g_assert_error (error, PRUNED_ERROR, PRUNED_REJECT);
    message_decoded_clear (&decoded);
  }
}

#define TICK_TYPE "pruned.Tick"

/* What a writer of another schema has sent. WANTED: the content, or the reason. */
static void
test_data_of_other_schemas (void)
{
  static const struct {
    const char *type, *datum;
    gboolean is_tolerant;
    const char *wanted, *args;
  } cases[] = {
    { TICK_TYPE, "{\"job\":\"j\"}", FALSE, "{\"job\":\"j\",\"scheduled_at\":null,\"args\":{}}",
      "{}" },
    { TICK_TYPE, "{\"args\":null,\"job\":\"j\"}", FALSE,
      "{\"job\":\"j\",\"scheduled_at\":null,\"args\":{}}", "{}" },
    { TICK_TYPE,
      "{\"args\":\"{\\\"b\\\":1.50}\",\"scheduled_at\":\"2026-11-21T02:10:00+02:00\",\"job\":\"j\"}",
      FALSE,
      "{\"job\":\"j\",\"scheduled_at\":\"2026-11-21T00:10:00.000000Z\",\"args\":{\"b\":1.5}}",
      "{\"b\":1.50}" },
    { TICK_TYPE, "{\"job\":\"j\",\"x\":1}", FALSE, "unknown field x", NULL },
    { TICK_TYPE, "{\"job\":\"j\",\"x\":1}", TRUE,
      "{\"job\":\"j\",\"scheduled_at\":null,\"args\":{}}", "{}" },
    { TICK_TYPE, "{\"job\":7}", FALSE, "undecodable: field job: not a string", NULL },
    { TICK_TYPE, "{\"job\":null}", FALSE, "undecodable: field job: may not be null", NULL },
    { TICK_TYPE, "{\"args\":\"{}\"}", FALSE, "undecodable: missing field job", NULL },
    { TICK_TYPE, "{\"job\":\"j\",\"scheduled_at\":5}", FALSE,
      "undecodable: field scheduled_at: a time outside the years 1970 to 9999", NULL },
    { TICK_TYPE, "{\"job\":\"j\",\"scheduled_at\":true}", FALSE,
      "undecodable: field scheduled_at: not a time", NULL },
    { TICK_TYPE, "{\"job\":\"j\",\"scheduled_at\":\"2026-11-21T00:10:0000000000Z\"}", FALSE,
      "undecodable: field scheduled_at: time '2026-11-21T00:10:0000000000Z' must end with its zone,"
      " Z or like +02:00",
      NULL },
    { EXPIRY, "{\"member_id\":1}", TRUE, "undecodable: missing field expires_at", NULL },
    { EXPIRY, "{\"member_id\":\"1\",\"expires_at\":null}", TRUE,
      "undecodable: field member_id: not an integer", NULL },
    { EXPIRY, "{\"member_id\":1,\"expires_at\":\"2026-1-1\"}", TRUE,
      "undecodable: field expires_at: a date outside the years 1 to 9999", NULL },
    { EXPIRY, "{\"expires_at\":\"2026-11-21\",\"at\":{},\"member_id\":1}", TRUE,
      "{\"member_id\":1,\"expires_at\":\"2026-11-21\"}", NULL },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (json_t) datum = json_of (cases[i].datum);
    g_autoptr (GError) error = NULL;
    g_autofree char *args = NULL;
    gboolean is_tick = g_str_equal (cases[i].type, TICK_TYPE);
    g_autoptr (json_t) content = decode_datum (
        schema_find (cases[i].type), datum, cases[i].is_tolerant, is_tick ? &args : NULL, &error);
    g_autofree char *told = content != NULL ? json_text (content) : g_strdup (error->message);
    g_assert_cmpstr (told, ==, cases[i].wanted);
    if (content != NULL)
      g_assert_cmpstr (args, ==, cases[i].args);
    g_autofree char *left = json_text (datum);
    g_assert_cmpstr (left, ==, cases[i].datum); /* others may read it, too */
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/decode_avro/frames", test_frames);
  g_test_add_func ("/decode_avro/bytes_that_are_no_datum", test_bytes_that_are_no_datum);
  g_test_add_func ("/decode_avro/lists_that_are_none", test_lists_that_are_none);
  g_test_add_func ("/decode_avro/run_id_must_be_one", test_run_id_must_be_one);
  g_test_add_func ("/decode_avro/random_damage", test_random_damage);
  g_test_add_func ("/decode_avro/data_of_other_schemas", test_data_of_other_schemas);
  return g_test_run ();
}
