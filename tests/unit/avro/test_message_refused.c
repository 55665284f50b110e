#include "support/message.h"
#include <string.h>

static void
assert_header (const char *name, const char *text, const char *wanted)
{
  MessageHeader header = { (char *)name, (char *)text, strlen (text) };
  MessageSource source = on_ticks ("{\"job\":\"j\"}", 11);
  source.headers = &header;
  source.n_headers = 1;
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==, wanted);
}

static void
test_no_value (void)
{
  assert_tick (NULL, 0, "empty value");
  assert_tick ("", 0, "empty value");
}

static void
test_neither_json_nor_avro (void)
{
  TICK ("hello", "undecodable: neither JSON nor Avro, the first byte is 68");
  TICK (" hello", "undecodable: neither JSON nor Avro, the first byte is 20");
  TICK (" \r\n\t", "undecodable: neither JSON nor Avro, the first byte is 20");
  TICK ("\xc3", "undecodable: neither JSON nor Avro, the first byte is c3");
  TICK ("\0\0\0\0\1\2j", "undecodable: the frame of a schema registry is not read here");
}

static void
test_types (void)
{
  MessageSource event = { (const guint8 *)"{}", 2, NULL, 0, NULL, "pruned.events." };
  g_autofree char *reason = reason_of (&event);
  g_assert_cmpstr (reason, ==, "missing header ce_type");
  assert_header ("ce_type", "com.example.Else", "unknown type com.example.Else");
  assert_header ("ce_type", "pruned.events.", "unknown type pruned.events.");
  assert_header ("ce_type", EXPIRY, "unexpected type " EXPIRY);
  assert_header ("ce_type", "pruned.Work", "unexpected type pruned.Work");
  assert_header ("ce_type", "a\nb\xff", "undecodable: header ce_type is not UTF-8 text");
  assert_header ("ce_type", "a\nb", "unknown type a\\x0ab");
}

static void
test_envelope (void)
{
  assert_header ("ce_specversion", "0.3", "undecodable: ce_specversion 0.3 is not 1.0");
  assert_header ("ce_id", "\xc3(", "undecodable: header ce_id is not UTF-8 text");
  assert_header ("ce_time", "1970-01-01T00:00:00Z",
                 "undecodable: ce_time: nothing happened at 1970-01-01T00:00:00Z");
  assert_header (
      "ce_time", "2026-11-21T10:20:30",
      "undecodable: ce_time: time '2026-11-21T10:20:30' must end with its zone, Z or like +02:00");
}

static void
test_a_header_twice (void)
{
  MessageHeader headers[] = { { "ce_id", "1", 1 }, { "ce_id", "2", 1 } };
  MessageSource source = on_ticks ("{\"job\":\"j\"}", 11);
  source.headers = headers;
  source.n_headers = 2;
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==, "undecodable: header ce_id is there twice, with different values");
}

/* An `id` may be anything: bytes and two values are no id, and no fault. */
static void
test_plain_ids (void)
{
  static const struct {
    const char *first, *second, *ce_id, *id; /* ID: what the message is known by; NULL: none */
  } cases[]
      = { { "a", NULL, NULL, "a" },      { "a", "a", NULL, "a" },     { "a", "b", NULL, NULL },
          { "\xc3(", NULL, NULL, NULL }, { "\xc3(", NULL, "c", "c" }, { "a", "b", "c", "c" },
          { "", NULL, NULL, NULL } };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *values[] = { cases[i].first, cases[i].second, cases[i].ce_id };
    MessageHeader headers[3];
    for (guint h = 0; h < 3; h++)
      headers[h] = (MessageHeader){ h == 2 ? "ce_id" : "id", (char *)values[h],
                                    values[h] != NULL ? strlen (values[h]) : 0 };
    MessageSource source = { .headers = headers, .n_headers = 3 };
    MessageDecoded decoded = { NULL };
    g_assert_true (message_identity (&source, &decoded, NULL));
    g_assert_cmpstr (decoded.ce_id, ==, cases[i].id);
    g_assert_cmpint (decoded.id_is_plain, ==, cases[i].id != NULL && cases[i].ce_id == NULL);
    message_decoded_clear (&decoded);
  }
}

static void
test_content_types (void)
{
  assert_header ("content-type", "text/plain", "unknown content-type text/plain");
  assert_header ("content-type", "application/cloudevents+json", "undecodable: data is missing");
  assert_header ("content-type", "application/cloudevents-batch+json",
                 "unknown content-type application/cloudevents-batch+json");
  assert_header ("content-type", "application/cloudevents+avro",
                 "unknown content-type application/cloudevents+avro");
  assert_header ("ce_datacontenttype", "text/json", "unknown content-type text/json");
  assert_header ("content-type", "application/avro",
                 "undecodable: content-type application/avro, but the bytes are JSON");
  assert_header ("ce_datacontenttype", "avro/binary; v=1",
                 "undecodable: content-type avro/binary; v=1, but the bytes are JSON");
  MessageHeader json = { "content-type", "application/vnd.x+json", 22 };
  MessageSource source = on_ticks (TICK_FRAME "\2j\0\4{}", 17);
  source.headers = &json;
  source.n_headers = 1;
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpstr (reason, ==,
                   "undecodable: content-type application/vnd.x+json, but the bytes are Avro "
                   "single-object encoding");
  source.value = (const guint8 *)"\0\0\0\0\1";
  source.value_len = 5;
  g_autofree char *confluent = reason_of (&source);
  g_assert_cmpstr (confluent, ==,
                   "undecodable: content-type application/vnd.x+json, but the bytes are Confluent "
                   "wire format");
}

static void
test_content_types_that_promise_nothing_wrong (void)
{
  static const char *const types[] = { "application/json", "application/octet-stream",
                                       "application/vnd.pruned+json", "APPLICATION/JSON ;x=y" };
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    MessageHeader header = { "content-type", (char *)types[i], strlen (types[i]) };
    MessageSource source = on_ticks ("{\"job\":\"j\"}", 11);
    MessageDecoded decoded;
    source.headers = &header;
    source.n_headers = 1;
    g_assert_true (message_decode (&source, &decoded, NULL));
    message_decoded_clear (&decoded);
  }
}

/* A megabyte of one byte between HEAD and TAIL. */
static char *
reason_of_a_megabyte (const char *head, char byte, const char *tail)
{
  g_autofree char *middle = g_strnfill (1 << 20, byte);
  g_autofree char *value = g_strconcat (head, middle, tail, NULL);
  MessageSource source = on_ticks (value, strlen (value));
  char *reason = reason_of (&source);
  g_assert_cmpuint (strlen (reason), <, 500);
  g_assert_true (g_utf8_validate (reason, -1, NULL));
  return reason;
}

static void
test_a_megabyte (void)
{
  static const struct {
    const char *head;
    char byte;
    const char *tail, *prefix;
  } bodies[] = {
    { "", 'x', "", "undecodable: neither JSON nor Avro" },
    { "{\"", 'x', "\":1}", "unknown field xxxxx" },
    { "{\"", '\x01', "\":1}", "undecodable: " },
    { "{\"job\":\"j\",\"args\":", '[', "", "undecodable: " },
    { "{\"job\":\"j\",\"scheduled_at\":\"", '7', "\"}",
      "undecodable: field scheduled_at: time '777" },
    { "{\"job\":\"j\",\"args\":{\"a\":", '7', "}}", "undecodable: field args: " },
    { "{\"job\":", '7', "}", "undecodable: field job: not a string" },
    { TICK_FRAME, '\x7f', "", "undecodable: " },
  };
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++) {
    g_autofree char *reason = reason_of_a_megabyte (bodies[i].head, bodies[i].byte, bodies[i].tail);
    g_assert_true (g_str_has_prefix (reason, bodies[i].prefix));
  }
  g_autofree char *name = g_strnfill (1 << 20, 'x');
  MessageHeader header = { "ce_type", name, 1 << 20 };
  MessageSource source = on_ticks ("{}", 2);
  source.headers = &header;
  source.n_headers = 1;
  g_autofree char *reason = reason_of (&source);
  g_assert_cmpuint (strlen (reason), <, 500);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/refused/no_value", test_no_value);
  g_test_add_func ("/refused/neither_json_nor_avro", test_neither_json_nor_avro);
  g_test_add_func ("/refused/types", test_types);
  g_test_add_func ("/refused/envelope", test_envelope);
  g_test_add_func ("/refused/a_header_twice", test_a_header_twice);
  g_test_add_func ("/refused/an_id_of_any_kind", test_plain_ids);
  g_test_add_func ("/refused/content_types", test_content_types);
  g_test_add_func ("/refused/content_types_that_promise_nothing_wrong",
                   test_content_types_that_promise_nothing_wrong);
  g_test_add_func ("/refused/a_megabyte", test_a_megabyte);
  return g_test_run ();
}
