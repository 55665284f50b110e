#include "base/uuid5.h"
#include <string.h>

#define DNS_NAMESPACE "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
#define TICK "tick/members.remove_expired/1795212000000000/{}"
#define TICK_ID "33c50bbf-59ca-51b4-a4cd-84473abeb18f"

/* The expected ids come from Python's uuid module. */
static void
test_known_ids (void)
{
  char id[UUID5_TEXT_SIZE];
  uuid5 (DNS_NAMESPACE, "pruned", -1, id);
  g_assert_cmpstr (id, ==, PRUNED_UUID_NAMESPACE);
  uuid5 (PRUNED_UUID_NAMESPACE, TICK, -1, id);
  g_assert_cmpstr (id, ==, TICK_ID);
  uuid5 (PRUNED_UUID_NAMESPACE, "", 0, id);
  g_assert_cmpstr (id, ==, "09b099b9-35fd-573d-b98e-5661ac3bb398");
  uuid5 (PRUNED_UUID_NAMESPACE, "a\0b", 3, id);
  g_assert_cmpstr (id, ==, "d09d9281-8295-5c25-a474-82e8d56481ec");
}

static void
test_length_is_honoured (void)
{
  char id[UUID5_TEXT_SIZE];
  uuid5 (PRUNED_UUID_NAMESPACE, TICK " and more", strlen (TICK), id);
  g_assert_cmpstr (id, ==, TICK_ID);
}

static void
test_slot_is_of_the_first_four_bytes (void)
{
  g_assert_cmpuint (uuid5_slot (TICK_ID, 50), ==, 15);
  g_assert_cmpuint (uuid5_slot (TICK_ID, G_MAXUINT), ==, 0x33c50bbf);
  g_assert_cmpuint (uuid5_slot ("ffffffff-0000-5000-8000-000000000000", 10), ==, 5);
  g_assert_cmpuint (uuid5_slot (TICK_ID, 1), ==, 0);
}

static void
test_validity (void)
{
  g_assert_true (uuid5_is_valid (TICK_ID));
  g_assert_true (uuid5_is_valid ("33C50BBF-59CA-51B4-A4CD-84473ABEB18F"));
  g_assert_false (uuid5_is_valid (NULL));
  g_assert_false (uuid5_is_valid (""));
  g_assert_false (uuid5_is_valid ("33c50bbf59ca51b4a4cd84473abeb18f"));
  g_assert_false (uuid5_is_valid (TICK_ID "0"));
  g_assert_false (uuid5_is_valid ("33c50bbg-59ca-51b4-a4cd-84473abeb18f"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/uuid5/known_ids", test_known_ids);
  g_test_add_func ("/uuid5/length_is_honoured", test_length_is_honoured);
  g_test_add_func ("/uuid5/slot_is_of_the_first_four_bytes", test_slot_is_of_the_first_four_bytes);
  g_test_add_func ("/uuid5/validity", test_validity);
  return g_test_run ();
}
