#include "engine/outbox/bundle.h"
#include "avro/message.h"
#include "engine/service/envelope.h"
#include <string.h>

#define RUN "33c50bbf-59ca-51b4-a4cd-84473abeb18f"

static const char *const FINISHED[]
    = { RUN, "7", "a.b", "finished", "{\"status\":\"completed\"}", NULL };

static Bundle *
bundle_of (guint n)
{
  Bundle *bundle = bundle_new (RUN, 7, "a.b", 3);
  for (guint i = 0; i < n; i++)
    bundle_add (bundle, "p.outcomes", i % 2 == 0 ? -1 : 5, RUN, "pruned.outcomes.RunFinished",
                "id-1", FINISHED);
  g_assert_cmpuint (bundle_size (bundle), ==, n);
  return bundle;
}

static const char *
header (const KafkaMessage *message, const char *name)
{
  return kafka_message_header (message, name)->value;
}

static void
test_what_was_stored_is_what_is_sent (void)
{
  g_autoptr (Bundle) bundle = bundle_of (2);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) messages
      = bundle_read (bundle->stored->data, bundle->stored->len, "p", &error);
  g_autoptr (GByteArray) value = g_byte_array_new ();
  g_assert_no_error (error);
  g_assert_cmpuint (messages->len, ==, 2);
  g_assert_true (message_encode_texts ("pruned.outcomes.RunFinished", FINISHED, value, &error));
  for (guint i = 0; i < messages->len; i++) {
    const KafkaMessage *message = messages->pdata[i];
    g_assert_cmpstr (message->topic, ==, "p.outcomes");
    g_assert_cmpint (message->partition, ==, i == 0 ? -1 : 5);
    g_assert_cmpmem (message->key, message->key_len, RUN, strlen (RUN));
    g_assert_cmpmem (message->value, message->value_len, value->data, value->len);
    g_assert_cmpstr (header (message, "ce_type"), ==, "pruned.outcomes.RunFinished");
    g_assert_cmpstr (header (message, "ce_id"), ==, "id-1");
    g_assert_cmpstr (header (message, "ce_source"), ==, "/pruned/p");
    g_assert_cmpstr (header (message, "ce_specversion"), ==, "1.0");
    g_assert_cmpstr (header (message, "content-type"), ==, "application/avro");
    g_assert_cmpstr (header (message, "ce_time"), ==, header (messages->pdata[0], "ce_time"));
  }
}

/* What this service reads itself says whose it is; outcomes are for others. This is the last test,
 * because a process has one database. */
static void
test_a_work_message_names_its_database (void)
{
  static const char *const work[]
      = { RUN, "a.b", "7", "0", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "{}", NULL };
  g_autoptr (Bundle) bundle = bundle_of (1);
  g_autoptr (GError) error = NULL;
  bundle_add (bundle, "p.work.a.b", 3, RUN, "pruned.Work", "id-2", work);
  origin_begin ("0b8a1c52-6d5e-4c57-9d0e-0f3c3e0f7a11");
  g_autoptr (GPtrArray) messages
      = bundle_read (bundle->stored->data, bundle->stored->len, "p", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (messages->len, ==, 2);
  g_assert_null (kafka_message_header (messages->pdata[0], ORIGIN_HEADER));
  g_assert_cmpstr (header (messages->pdata[1], ORIGIN_HEADER), ==, origin_database ());
}

/* If a value does not fit, nothing of it is stored, and the first reason is kept. */
static void
test_what_cannot_be_encoded_makes_it_wrong_and_leaves_nothing_behind (void)
{
  static const char *const odd[] = { RUN, "seven", "a.b", "finished", "{}", NULL };
  g_autoptr (Bundle) bundle = bundle_of (1);
  g_autoptr (GError) error = NULL;
  guint len = bundle->stored->len;
  g_assert_true (bundle_is_whole (bundle, &error));
  bundle_add (bundle, "p.outcomes", -1, RUN, "pruned.outcomes.RunFinished", "id-2", odd);
  bundle_spoil (bundle, "another");
  g_assert_false (bundle_is_whole (bundle, &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_RETRY);
  g_assert_nonnull (strstr (error->message, "RunFinished"));
  g_assert_nonnull (strstr (error->message, "field step"));
  g_assert_cmpuint (bundle->stored->len, ==, len);
  g_assert_cmpuint (bundle_size (bundle), ==, 1);
}

/* As if what was added since had never been there. */
static void
test_what_is_cut_away_leaves_nothing_behind (void)
{
  static const char *const odd[] = { RUN, "seven", "a.b", "finished", "{}", NULL };
  g_autoptr (Bundle) bundle = bundle_of (2);
  g_autoptr (Bundle) spoilt = bundle_of (1);
  g_autoptr (GError) error = NULL;
  guint len = bundle->stored->len;
  BundleMark mark = bundle_mark (bundle);
  bundle_add (bundle, "p.outcomes", -1, RUN, "pruned.outcomes.RunFinished", "id-2", FINISHED);
  bundle_add (bundle, "p.outcomes", -1, RUN, "pruned.outcomes.RunFinished", "id-3", odd);
  bundle_cut (bundle, mark);
  g_assert_true (bundle_is_whole (bundle, &error));
  g_assert_cmpuint (bundle->stored->len, ==, len);
  g_assert_cmpuint (bundle_size (bundle), ==, 2);
  bundle_spoil (spoilt, "before");
  bundle_cut (spoilt, bundle_mark (spoilt));
  g_assert_false (bundle_is_whole (spoilt, &error));
}

/* Whatever the table contains: an error, never a message that was not stored. */
static void
test_what_is_cut_or_foreign_is_refused (void)
{
  g_autoptr (Bundle) one = bundle_of (1);
  g_autoptr (Bundle) two = bundle_of (2);
  for (guint len = 0; len < two->stored->len; len++) {
    g_autoptr (GError) error = NULL;
    g_autofree guint8 *cut = g_memdup2 (two->stored->data, len);
    g_autoptr (GPtrArray) messages = bundle_read (cut, len, "p", &error);
    gboolean whole = len == 9 || len == one->stored->len;
    g_assert_true (whole ? messages != NULL : g_error_matches (error, PRUNED_ERROR, PRUNED_FATAL));
  }
  g_autoptr (GError) error = NULL;
  two->stored->data[0] = 0x63;
  g_assert_null (bundle_read (two->stored->data, two->stored->len, "p", &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  message_setup ();
  g_test_add_func ("/bundle/what_was_stored_is_what_is_sent", test_what_was_stored_is_what_is_sent);
  g_test_add_func ("/bundle/wrong",
                   test_what_cannot_be_encoded_makes_it_wrong_and_leaves_nothing_behind);
  g_test_add_func ("/bundle/what_is_cut_away_leaves_nothing_behind",
                   test_what_is_cut_away_leaves_nothing_behind);
  g_test_add_func ("/bundle/what_is_cut_or_foreign_is_refused",
                   test_what_is_cut_or_foreign_is_refused);
  g_test_add_func ("/bundle/origin", test_a_work_message_names_its_database);
  return g_test_run ();
}
