#include "engine/step/bisect.h"

#include <string.h>

/* Tries segments until every key is known. A segment with a key of BAD fails. Returns the number of
 * trials. */
static guint
try_all (Bisect *bisect, const char *bad)
{
  BisectSegment *segment;
  guint trials = 0;
  while ((segment = bisect_next (bisect)) != NULL) {
    gboolean fails = FALSE;
    for (guint i = 0; i < segment->keys->len; i++)
      fails |= strstr (bad, segment->keys->pdata[i]) != NULL;
    bisect_tried (bisect, segment, fails ? "refused" : NULL, fails ? "23503" : NULL, FALSE);
    trials++;
  }
  g_assert_false (bisect->active);
  return trials;
}

/* Keys " 0 ", " 1 ", ... so that no key is part of another. */
static GPtrArray *
page_of (guint n)
{
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (keys, g_strdup_printf (" %u ", i));
  return keys;
}

/* The number of trials to find BAD, the only bad key, in a page of N keys. */
static guint
find (guint n, const char *bad)
{
  g_autoptr (GPtrArray) keys = page_of (n);
  Bisect *bisect = bisect_new ();
  bisect_begin (bisect, keys);
  guint trials = try_all (bisect, bad);
  for (guint i = 0; i < n; i++)
    g_assert_cmpint (bisect_is_bad (bisect, keys->pdata[i]), ==,
                     strstr (bad, keys->pdata[i]) != NULL);
  bisect_free (bisect);
  return trials;
}

static void
test_finds_the_bad_keys_and_no_others (void)
{
  find (1, " 0 ");
  find (2, " 1 ");
  find (3, " 0 1 2 ");
  find (7, " 0  6 ");
  find (100, " 0  1  49  50  99 ");
}

/* On each level one half is tried, or both. */
static void
test_one_bad_key_costs_at_most_two_trials_a_level (void)
{
  for (guint bad = 0; bad < 64; bad++) {
    g_autofree char *key = g_strdup_printf (" %u ", bad);
    g_assert_cmpuint (find (64, key), <=, 12);
  }
}

/* The page failed as a whole: if its first half is good, the second half is bad without a trial. */
static void
test_the_second_half_is_known_to_be_bad (void)
{
  g_autoptr (GPtrArray) keys = page_of (4);
  Bisect *bisect = bisect_new ();
  bisect_begin (bisect, keys);
  bisect_tried (bisect, bisect_next (bisect), NULL, NULL, FALSE);
  BisectSegment *next = bisect_next (bisect);
  g_assert_cmpuint (next->keys->len, ==, 1);
  g_assert_cmpstr (next->keys->pdata[0], ==, " 2 ");
  bisect_tried (bisect, next, NULL, NULL, FALSE);
  next = bisect_next (bisect);
  g_assert_cmpstr (next->keys->pdata[0], ==, " 3 ");
  bisect_tried (bisect, next, "refused", "23503", FALSE);
  g_assert_null (bisect_next (bisect));
  g_assert_true (bisect_is_bad (bisect, " 3 "));
  bisect_free (bisect);
}

static void
test_segments_are_tried_in_page_order (void)
{
  g_autoptr (GPtrArray) keys = page_of (5);
  g_autoptr (GString) order = g_string_new (NULL);
  Bisect *bisect = bisect_new ();
  BisectSegment *segment;
  bisect_begin (bisect, keys);
  while ((segment = bisect_next (bisect)) != NULL) {
    gboolean one = segment->keys->len == 1;
    if (one)
      g_string_append (order, segment->keys->pdata[0]);
    bisect_tried (bisect, segment, "refused", "23503", FALSE);
  }
  g_assert_cmpstr (order->str, ==, " 0  1  2  3  4 ");
  bisect_free (bisect);
}

static void
test_the_first_reason_of_a_key_is_kept (void)
{
  g_autoptr (GPtrArray) keys = page_of (1);
  Bisect *bisect = bisect_new ();
  bisect_begin (bisect, keys);
  bisect_tried (bisect, bisect_next (bisect), "on legal hold", "23000", FALSE);
  const BisectBad *bad = g_hash_table_lookup (bisect->bad, " 0 ");
  g_assert_cmpstr (bad->reason, ==, "on legal hold");
  g_assert_cmpstr (bad->sqlstate, ==, "23000");
  bisect_free (bisect);
}

/* N bad keys of a page of PAGE, all with one SQLSTATE. */
static gboolean
is_systemic (guint page, guint n)
{
  g_autoptr (GPtrArray) keys = page_of (page);
  g_autoptr (GString) bad = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append (bad, keys->pdata[i]);
  Bisect *bisect = bisect_new ();
  bisect_begin (bisect, keys);
  try_all (bisect, bad->str);
  gboolean systemic = bisect_systemic_rows (bisect) > 0;
  bisect_free (bisect);
  return systemic;
}

static void
test_more_than_half_of_a_large_page_is_systemic (void)
{
  g_assert_true (is_systemic (20, 11));
  g_assert_false (is_systemic (20, 10));
  g_assert_false (is_systemic (19, 19));
  g_assert_true (is_systemic (21, 11));
}

/* A page of PAGE keys, of which the first N are busy. ROWS: PostgreSQL says that rows are locked.
 */
static gboolean
is_all_busy (guint page, guint n, gboolean rows)
{
  g_autoptr (GPtrArray) keys = page_of (page);
  BisectSegment *segment;
  gboolean all = FALSE;
  Bisect *bisect = bisect_new ();
  bisect_begin (bisect, keys);
  while (!all && (segment = bisect_next (bisect)) != NULL) {
    const gboolean fails = (guint)g_ascii_strtoull (segment->keys->pdata[0], NULL, 10) < n;
    bisect_tried (bisect, segment, fails ? "locked" : NULL, fails ? BISECT_BUSY : NULL, !rows);
    all = bisect_is_all_busy (bisect);
    g_assert_cmpuint (bisect_systemic_rows (bisect), ==, 0);
  }
  bisect_free (bisect);
  return all;
}

/* One transaction can hold many rows of a page; a lock of the table holds all. */
static void
test_rows_that_are_held_are_passed_over_and_a_table_that_is_locked_waits (void)
{
  static const struct {
    guint page, busy;
    gboolean of_rows, of_all;
  } cases[] = {
    { 1, 1, TRUE, FALSE },    { 1, 1, FALSE, TRUE },     { 3, 3, TRUE, FALSE },
    { 3, 3, FALSE, TRUE },    { 3, 2, FALSE, FALSE },    { 500, 1, FALSE, FALSE },
    { 500, 7, FALSE, FALSE }, { 500, 500, FALSE, TRUE }, { 500, 250, TRUE, FALSE },
    { 500, 251, TRUE, TRUE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%u", i);
    g_assert_cmpint (is_all_busy (cases[i].page, cases[i].busy, cases[i].of_rows), ==,
                     cases[i].of_all);
  }
}

static void
test_a_reset_forgets_the_page (void)
{
  g_autoptr (GPtrArray) keys = page_of (20);
  Bisect *bisect = bisect_new ();
  bisect_begin (bisect, keys);
  bisect_tried (bisect, bisect_next (bisect), "refused", "23503", FALSE);
  bisect_reset (bisect);
  g_assert_false (bisect->active);
  g_assert_null (bisect_next (bisect));
  g_assert_false (bisect_is_bad (bisect, " 0 "));
  g_assert_cmpuint (bisect_systemic_rows (bisect), ==, 0);
  bisect_free (bisect);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bisect/finds_the_bad_keys", test_finds_the_bad_keys_and_no_others);
  g_test_add_func ("/bisect/trials", test_one_bad_key_costs_at_most_two_trials_a_level);
  g_test_add_func ("/bisect/known_bad", test_the_second_half_is_known_to_be_bad);
  g_test_add_func ("/bisect/page_order", test_segments_are_tried_in_page_order);
  g_test_add_func ("/bisect/reason", test_the_first_reason_of_a_key_is_kept);
  g_test_add_func ("/bisect/systemic", test_more_than_half_of_a_large_page_is_systemic);
  g_test_add_func ("/bisect/busy",
                   test_rows_that_are_held_are_passed_over_and_a_table_that_is_locked_waits);
  g_test_add_func ("/bisect/reset", test_a_reset_forgets_the_page);
  return g_test_run ();
}
