/* The letters that a command names: PARTITION:OFFSET. */
#include "cli/dead/letter.h"

#include <string.h>

static void
test_ids (void)
{
  char *texts[] = { "0:0", "3:9223372036854775807", "2147483647:7", "3:5", "0:0", NULL };
  static const LetterId wanted[] = { { 0, 0 }, { 3, G_MAXINT64 }, { G_MAXINT32, 7 }, { 3, 5 } };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) ids = letter_ids_parse (texts, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ids->len, ==, G_N_ELEMENTS (wanted)); /* each once */
  for (guint i = 0; i < ids->len; i++) {
    g_assert_cmpint (g_array_index (ids, LetterId, i).partition, ==, wanted[i].partition);
    g_assert_cmpint (g_array_index (ids, LetterId, i).offset, ==, wanted[i].offset);
  }
}

static void
test_what_is_no_id (void)
{
  static const char *const texts[] = { "",
                                       "7",
                                       ":",
                                       "1:",
                                       ":1",
                                       "1:2:3",
                                       "-1:2",
                                       "1:-2",
                                       "a:1",
                                       "1:a",
                                       "1: 2",
                                       "1:2 ",
                                       "0x1:2",
                                       "1,2",
                                       "1.0:2",
                                       "2147483648:1",
                                       "1:9223372036854775808",
                                       "*" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    char *both[] = { "1:2", (char *)texts[i], NULL };
    g_autoptr (GError) error = NULL;
    g_test_message ("'%s'", texts[i]);
    g_assert_null (letter_ids_parse (both, &error));
    g_assert_nonnull (error);
    g_assert_nonnull (strstr (error->message, "an ID is PARTITION:OFFSET"));
  }
}

/* An id is read back as it was written. */
static void
test_an_id_is_written (void)
{
  g_autoptr (GPtrArray) letters = letters_new ();
  KafkaMessage *message = kafka_message_new ("p.dead", 0);
  message->partition = 3;
  message->offset = 1234567890123;
  g_ptr_array_add (letters, letter_new (message));
  g_autofree char *id = letter_id (letters->pdata[0]);
  g_assert_cmpstr (id, ==, "3:1234567890123");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/letter/ids", test_ids);
  g_test_add_func ("/letter/none", test_what_is_no_id);
  g_test_add_func ("/letter/written", test_an_id_is_written);
  return g_test_run ();
}
