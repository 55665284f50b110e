#include "engine/service/envelope.h"
#include <string.h>

#define OURS "0b8a1c52-6d5e-4c57-9d0e-0f3c3e0f7a11"
#define THEIRS "5f0c6f1e-2b7a-4f7e-8a55-6f1f4f0f1b22"

static KafkaMessage *
message_of (const char *database)
{
  KafkaMessage *message = kafka_message_new ("p.ticks", 0);
  kafka_message_add_header (message, "ce_id", "1");
  if (database != NULL)
    kafka_message_add_header (message, ORIGIN_HEADER, database);
  return message;
}

static void
check (const char *database, gboolean ours)
{
  g_autoptr (KafkaMessage) message = message_of (database);
  g_autofree char *reason = origin_refusal (message);
  g_assert_true (ours == (reason == NULL));
  if (ours)
    return;
  g_assert_nonnull (strstr (reason, OURS));
  g_assert_true (g_utf8_validate (reason, -1, NULL));
}

/* Before the database is known nothing is compared: this is the first test. */
static void
test_a_message_of_another_database_is_refused_and_one_of_nobody_is_not (void)
{
  g_assert_null (origin_database ());
  check (THEIRS, TRUE);
  origin_begin (OURS);
  g_assert_cmpstr (origin_database (), ==, OURS);
  check (NULL, TRUE);
  check (OURS, TRUE);
  static const char *const others[] = { THEIRS, "", OURS "0", "0b8a1c52", "\xff\xfe\n" };
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    check (others[i], FALSE);
  g_autoptr (KafkaMessage) message = message_of (THEIRS);
  g_autofree char *reason = origin_refusal (message);
  g_assert_nonnull (strstr (reason, THEIRS));
  g_assert_nonnull (strstr (reason, "[topics] prefix"));
}

static void
test_a_header_without_a_value_names_no_database_of_ours (void)
{
  g_autoptr (KafkaMessage) message = kafka_message_new ("p.ticks", 0);
  origin_begin (OURS);
  kafka_message_add_header (message, ORIGIN_HEADER, NULL);
  g_autofree char *reason = origin_refusal (message);
  g_assert_nonnull (reason);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/origin/refused",
                   test_a_message_of_another_database_is_refused_and_one_of_nobody_is_not);
  g_test_add_func ("/origin/null", test_a_header_without_a_value_names_no_database_of_ours);
  return g_test_run ();
}
