#include "avro/identity.h"

#define T_US G_GINT64_CONSTANT (1795219800000000)
#define RUN "33c50bbf-59ca-51b4-a4cd-84473abeb18f"

static void
is (char *made, const char *wanted)
{
  g_assert_cmpstr (made, ==, wanted);
  g_free (made);
}

/* The expected ids come from Python's uuid.uuid5 with the names in docs/messages.md. */
static void
test_runs (void)
{
  is (identity_tick ("members.remove_expired", T_US, "{}"), "5f934110-1d80-5a6f-9013-c8941e608996");
  is (identity_tick ("ci.schedule_delete_objects", T_US, "{\"a\":1.0,\"ü\":[1,2]}"),
      "732423bc-b782-5508-835d-86df5888cc1e");
  is (identity_event ("/app/members", "8e1", "members.remove_expired"),
      "77b8a094-195c-5f7a-89d0-b89d09a354e2");
  is (identity_event_position ("pruned.events", 3, 123456789012, 1795219800123,
                               "members.remove_expired"),
      "296d24ca-9696-5a90-9a93-7f70bd9e7b20");
  is (identity_child (RUN, "users.destroy", "42"), "b549baeb-b863-563e-887f-072ac9b781b9");
}

static void
test_outcomes (void)
{
  is (identity_outcome (RUN, 0, "MemberRemoved", "42"), "686fef4b-89ee-5552-8aca-14a934331272");
  is (identity_outcome (RUN, 0, "pruned.outcomes.MemberRemoved", "42"),
      "686fef4b-89ee-5552-8aca-14a934331272");
  is (identity_outcome (RUN, 12, "RunFinished", RUN), "98d4040a-65fd-5a97-be90-9be8a5c0f6d0");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/identity/runs", test_runs);
  g_test_add_func ("/identity/outcomes", test_outcomes);
  return g_test_run ();
}
