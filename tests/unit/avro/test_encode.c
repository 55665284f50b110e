#include "base/error.h"
#include "support/message.h"
#include <string.h>

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

/* Dates that only PostgreSQL can represent: the outcome is still sent. */
static void
test_dates_out_of_the_way (void)
{
  static const struct {
    const char *date, *branch;
  } dates[] = {
    { "0001-01-01", "02f3e457" },
    { "0001-01-01 BC", "02cfea57" },
    { "10000-01-01", "02c282e602" },
    { "2024-02-29", "028cb502" },
    { "infinity", "00" },
    { "-infinity", "00" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (dates); i++) {
    g_autofree char *wanted = g_strconcat ("c3018d78a00a9c7f9a6e", "0e", dates[i].branch, NULL);
    assert_texts ("pruned.events.MemberExpirySet", (const char *[]){ "7", dates[i].date }, wanted);
    g_autoptr (json_t) content
        = json_pack ("{s:i,s:s}", "member_id", 7, "expires_at", dates[i].date);
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
                "c3015e7c9269b442011b"
                "0861efbfbd"
                "00"
                "047b7d");
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
    { "pruned.Tick", "{\"job\":\"j\",\"args\":\"{}\"}",
      "pruned.Tick: field args: not a JSON object" },
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
  static const char *const lists[]
      = { "", "{", "{1]", "[1}", "1,2", "{1,}", "{NULL}", "{{1}}", "{1, 2}" };
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++) {
    const char *const fields[] = { RUN, "2", "1", "2", "3", "4", lists[i] };
    g_autoptr (GError) error = NULL;
    g_autoptr (GByteArray) out = g_byte_array_new ();
    g_assert_false (
        message_encode_texts ("pruned.outcomes.MemberDeletionProcessed", fields, out, &error));
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/encode/encodes_columns_of_text", test_encodes_columns_of_text);
  g_test_add_func ("/encode/dates_out_of_the_way", test_dates_out_of_the_way);
  g_test_add_func ("/encode/text_that_is_not_utf8_does_not_stop_an_outcome",
                   test_text_that_is_not_utf8_does_not_stop_an_outcome);
  g_test_add_func ("/encode/what_does_not_fit_is_a_bug", test_what_does_not_fit_is_a_bug);
  g_test_add_func ("/encode/texts_that_do_not_fit", test_texts_that_do_not_fit);
  g_test_add_func ("/encode/lists_that_do_not_fit", test_lists_that_do_not_fit);
  return g_test_run ();
}
