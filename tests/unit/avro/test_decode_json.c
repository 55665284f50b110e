#include "support/message.h"
#include <string.h>

static void
test_fields_of_json (void)
{
  TICK ("{\"job\":\"j\",\"delay\":1}", "unknown field delay");
  TICK ("{\"job\":\"j\",\"Job\":\"k\"}", "unknown field Job");
  TICK ("{\"job\":\"j\",\"jo\":\"k\"}", "unknown field jo");
  TICK ("{\"job\":\"j\",\"\":1}", "unknown field ");
  TICK ("{}", "undecodable: missing field job");
  TICK ("{\"job\":null}", "undecodable: field job: may not be null");
  TICK ("{\"job\":7}", "undecodable: field job: not a string");
  TICK ("{\"job\":[\"j\"]}", "undecodable: field job: not a string");
  TICK ("{\"job\":\"j\",\"args\":\"{}\"}", "undecodable: field args: not a JSON object");
  TICK ("{\"job\":\"j\",\"args\":[]}", "undecodable: field args: not a JSON object");
  TICK ("{\"job\":\"j\",\"scheduled_at\":1795219800000000}",
        "undecodable: field scheduled_at: not a string");
  TICK (
      "{\"job\":\"j\",\"scheduled_at\":\"2026-11-21T00:10:00\"}",
      "undecodable: field scheduled_at: time '2026-11-21T00:10:00' must end with its zone, Z or like +02:00");
}

static void
test_fields_of_events_in_json (void)
{
  EVENT ("{\"member_id\":1}", "undecodable: missing field expires_at");
  EVENT ("{\"expires_at\":null}", "undecodable: missing field member_id");
  EVENT ("{\"member_id\":1.0,\"expires_at\":null}", "undecodable: field member_id: not an integer");
  EVENT ("{\"member_id\":1e3,\"expires_at\":null}", "undecodable: field member_id: not an integer");
  EVENT ("{\"member_id\":\"1\",\"expires_at\":null}",
         "undecodable: field member_id: not an integer");
  EVENT ("{\"member_id\":true,\"expires_at\":null}",
         "undecodable: field member_id: not an integer");
  EVENT ("{\"member_id\":9223372036854775808,\"expires_at\":null}",
         "undecodable: field member_id: not within 64 bits");
  EVENT ("{\"member_id\":1,\"expires_at\":\"2026-02-29\"}",
         "undecodable: field expires_at: not a date like 2026-11-21");
  EVENT ("{\"member_id\":1,\"expires_at\":\"2026-2-9\"}",
         "undecodable: field expires_at: not a date like 2026-11-21");
  EVENT ("{\"member_id\":1,\"expires_at\":\"infinity\"}",
         "undecodable: field expires_at: not a date like 2026-11-21");
  EVENT ("{\"member_id\":1,\"expires_at\":\"\"}",
         "undecodable: field expires_at: not a date like 2026-11-21");
}

static void
assert_undecodable (const char *value, gsize len)
{
  MessageSource source = on_ticks (value, len);
  g_autofree char *reason = reason_of (&source);
  g_assert_true (g_str_has_prefix (reason, "undecodable: "));
}

static void
test_text_that_is_no_json (void)
{
  static const char *const bodies[] = {
    "{",
    "{\"job\":\"j\"",
    "{\"job\":\"j\"} {}",
    "{\"job\":\"j\",}",
    "{\"job\":\"j\",\"job\":\"j\"}",
    "{\"job\":\"j\",\"args\":{\"a\":1,\"a\":1}}",
    "{\"job\":\"j\",\"args\":{\"a\":1,\"\\u0061\":1}}",
    "{'job':'j'}",
    "{\"job\":\"\xff\"}",
    "{\"job\":\"a\\u0000b\"}",
    "{\"job\":\"\\ud800\"}",
    "{\"job\":\"j\",\"args\":{\"a\":NaN}}",
    "{\"job\":\"j\",\"args\":{\"a\":01}}",
    "{\"job\":\"j\",\"args\":{\"a\":1e999}}",
    "{\"job\":\"tab\there\"}",
  };
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    assert_undecodable (bodies[i], strlen (bodies[i]));
  assert_undecodable ("{\"job\":\"j\"}\0", 12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/decode_json/fields_of_json", test_fields_of_json);
  g_test_add_func ("/decode_json/fields_of_events_in_json", test_fields_of_events_in_json);
  g_test_add_func ("/decode_json/text_that_is_no_json", test_text_that_is_no_json);
  return g_test_run ();
}
