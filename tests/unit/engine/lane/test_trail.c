/* What a lane of intake has taken goes on with the next lane of the same partition, and with no
 * other.
 */
#include "support/lanes.h"
#include "support/played.h"

#include "engine/lane/trail.h"

#define TOPIC "p.ticks"

static void
take (Lanes *lanes, Lane *lane, gint64 from, gint64 to)
{
  for (gint64 offset = from; offset < to; offset++) {
    const Taken taken = { offset, 1000 + offset };
    g_array_append_val (lane->intake.trail, taken);
  }
  trail_add (lanes, lane, 0, to, 999 + to);
}

static void
give_up (Lanes *lanes, Lane *lane)
{
  g_autoptr (GPtrArray) revoked = g_ptr_array_new ();
  g_ptr_array_add (revoked, lane);
  lanes_revoke (lanes, revoked, TRUE, 0);
}

/* How many messages the next lane of partition NUMBER remembers, and from which on they are to be
 * compared, if PostgreSQL has MINE and LAST_MS. */
static void
assert_next (Lanes *lanes, gint32 number, gint64 mine, gint64 last_ms, guint n, guint checked)
{
  g_auto (Trail) trail = { NULL, 0, 0, 0, { -1, 0 } };
  Lane *next = lanes_with (lanes, TOPIC, number, NULL);
  trail_resume (lanes, next, mine, last_ms, (Taken){ -1, 0 });
  g_assert_true (trail_copy (lanes, TOPIC, number, &trail));
  g_assert_cmpuint (trail.taken->len, ==, n);
  g_assert_cmpuint (trail.checked, ==, checked);
  g_assert_cmpint (trail.mine, ==, mine);
  give_up (lanes, next);
}

static Lanes *
left_at_25 (void)
{
  Lanes *lanes = lanes_new (1);
  Lane *lane = lanes_with (lanes, TOPIC, 0, NULL);
  trail_begin (lanes, lane, 0, 0);
  take (lanes, lane, 0, 25);
  lane->intake.trail_checked = 9;
  give_up (lanes, lane);
  return lanes;
}

static void
test_it_goes_on (void)
{
  Lanes *lanes = left_at_25 ();
  assert_next (lanes, 0, 25, 1024, 25, 9);
  assert_next (lanes, 0, 25, 1024, 25, 9); /* given up once more */
  lanes_free (lanes);
}

static void
test_others_begin_anew (void)
{
  static const struct {
    gint32 number;
    gint64 mine, last_ms;
    guint n;
  } cases[] = { { 1, 25, 1024, 1 }, /* another partition */
                { 0, 30, 1029, 1 }, /* another process has taken some */
                { 0, 20, 1019, 1 }, /* PostgreSQL was set back */
                { 0, 25, 5000, 1 }, /* another message there */
                { 0, -1, 0, 0 } };  /* PostgreSQL knows nothing */
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Lanes *lanes = left_at_25 ();
    assert_next (lanes, cases[i].number, cases[i].mine, cases[i].last_ms, cases[i].n, 0);
    lanes_free (lanes);
  }
}

/* What another process has compared last stays until this one has compared. */
static void
test_same_is_kept (void)
{
  Lanes *lanes = lanes_new (1);
  Lane *lane = lanes_with (lanes, TOPIC, 0, NULL);
  trail_resume (lanes, lane, 25, 1024, (Taken){ 9, 1009 });
  take (lanes, lane, 25, 30);
  g_assert_cmpint (trail_same (lanes, lane).offset, ==, 9);
  trail_begin (lanes, lane, 40, 0); /* what lay before could not be read */
  g_assert_cmpint (trail_same (lanes, lane).offset, ==, 9);
  trail_begin (lanes, lane, 9, 0);
  g_assert_cmpint (trail_same (lanes, lane).offset, ==, -1);
  trail_resume (lanes, lane, 25, 1024, (Taken){ -1, 0 });
  g_assert_cmpint (trail_same (lanes, lane).offset, ==, 24);
  give_up (lanes, lane);
  lanes_free (lanes);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trail/it_goes_on", test_it_goes_on);
  g_test_add_func ("/trail/others_begin_anew", test_others_begin_anew);
  g_test_add_func ("/trail/same_is_kept", test_same_is_kept);
  return g_test_run ();
}
