#include "engine/outbox/owner.h"
#include "base/error.h"
#include <string.h>

#define UUID "cccccccc-0000-4000-8000-000000000000"
#define RECORD "{\"database\":\"" UUID "\""

static Origin A = { "aaaaaaaa-0000-4000-8000-000000000000", "app", "db1:5432" };
static Origin B = { "bbbbbbbb-0000-4000-8000-000000000000", "staging", "db2:5432" };

static void
see (Origin *owner, const Origin *said, gboolean taken)
{
  g_autoptr (KafkaMessage) message = owner_message ("p.clock", said, taken);
  g_assert_nonnull (message->key); /* a compacted topic refuses it otherwise */
  owner_see (owner, message);
}

static void
see_text (Origin *owner, const char *key, const char *value)
{
  g_autoptr (KafkaMessage) message = kafka_message_new ("p.clock", 0);
  kafka_message_set_key (message, key);
  kafka_message_set_value (message, value, value != NULL ? strlen (value) : 0);
  owner_see (owner, message);
}

/* Both of two that write at the same time read the same topic. */
static void
test_the_first_record_counts_and_then_what_was_taken (void)
{
  g_auto (Origin) owner = { NULL };
  see (&owner, &A, FALSE);
  see (&owner, &B, FALSE);
  see (&owner, &A, FALSE);
  g_assert_cmpstr (owner.database, ==, A.database);
  g_assert_cmpstr (owner.name, ==, "app");
  g_assert_cmpstr (owner.host, ==, "db1:5432");
  see (&owner, &B, TRUE);
  see (&owner, &A, FALSE);
  g_assert_cmpstr (owner.database, ==, B.database);
}

static void
test_what_is_no_record_names_nobody (void)
{
  g_auto (Origin) owner = { NULL };
  static const char *const values[]
      = { "?", "", "[]", "{}", "null", "{\"database\":7}", "{\"database\":", "\xff", NULL };
  see (&owner, NULL, FALSE); /* only asks for the time */
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    see_text (&owner, "owner", values[i]);
  see_text (&owner, NULL, RECORD "}");
  see_text (&owner, "owners", RECORD "}");
  see_text (&owner, "owner", "{\"database\":\"x\"}");
  g_assert_null (owner.database);
  see_text (&owner, "owner", RECORD ",\"later\":1}");
  g_assert_cmpstr (owner.database, ==, UUID);
  g_assert_cmpstr (owner.name, ==, "?");
}

static void
test_another_database_is_refused_and_both_are_named (void)
{
  Origin nobody = { NULL }, renamed = { A.database, "other", "db9:1" };
  g_autoptr (GError) error = NULL;
  g_assert_true (owner_check (&nobody, &A, "p", &error));
  g_assert_true (owner_check (&renamed, &A, "p", &error));
  g_assert_false (owner_check (&A, &B, "p", &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  const char *const said[]
      = { A.database, A.name, A.host, B.database, B.name, B.host, "topics --take" };
  for (guint i = 0; i < G_N_ELEMENTS (said); i++)
    g_assert_nonnull (strstr (error->message, said[i]));
}

/* Of one database the newest timeline counts, whichever record comes last; a server with an older
 * one was left behind. */
static void
test_the_newest_timeline_counts (void)
{
  g_auto (Origin) owner = { NULL };
  g_autoptr (GError) error = NULL;
  Origin old = { A.database, "app", "db1:5432", .timeline = 1 },
         promoted = { A.database, "app", "db2:5432", .timeline = 2 },
         stranger = { B.database, "staging", "db3:5432", .timeline = 9 };
  const Origin *const said[] = { &A, &old, &promoted, &old, &A, &stranger };
  for (guint i = 0; i < G_N_ELEMENTS (said); i++)
    see (&owner, said[i], FALSE);
  g_assert_cmpint (owner.timeline, ==, 2);
  g_assert_cmpstr (owner.host, ==, "db2:5432");
  g_assert_true (owner_check (&owner, &promoted, "p", &error));
  g_assert_true (owner_check (&owner, &A, "p", &error)); /* a server that does not say */
  g_assert_false (owner_check (&owner, &old, "p", &error));
  g_assert_error (error, PRUNED_ERROR, PRUNED_FATAL);
  const char *const words[] = { "db1:5432", "timeline is 1", "with 2 on db2:5432", "--take" };
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_assert_nonnull (strstr (error->message, words[i]));
  see (&owner, &old, TRUE);
  g_assert_true (owner_check (&owner, &old, "p", NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/owner/first", test_the_first_record_counts_and_then_what_was_taken);
  g_test_add_func ("/owner/no_record", test_what_is_no_record_names_nobody);
  g_test_add_func ("/owner/check", test_another_database_is_refused_and_both_are_named);
  g_test_add_func ("/owner/timeline", test_the_newest_timeline_counts);
  return g_test_run ();
}
