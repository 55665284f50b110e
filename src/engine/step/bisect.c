#include "engine/step/bisect.h"

static void
bad_free (gpointer data)
{
  BisectBad *bad = data;
  g_free (bad->reason);
  g_free (bad->sqlstate);
  g_free (bad);
}

static void
segment_free (gpointer data)
{
  BisectSegment *segment = data;
  g_ptr_array_unref (segment->keys);
  g_free (segment);
}

Bisect *
bisect_new (void)
{
  Bisect *bisect = g_new0 (Bisect, 1);
  bisect->bad = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, bad_free);
  bisect->alike = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_queue_init (&bisect->segments);
  return bisect;
}

void
bisect_reset (Bisect *bisect)
{
  g_hash_table_remove_all (bisect->bad);
  g_hash_table_remove_all (bisect->alike);
  g_queue_clear_full (&bisect->segments, segment_free);
  bisect->active = bisect->settled = bisect->locked = bisect->good = FALSE;
  bisect->page = bisect->unplaced = 0;
}

void
bisect_free (Bisect *bisect)
{
  bisect_reset (bisect);
  g_hash_table_destroy (bisect->bad);
  g_hash_table_destroy (bisect->alike);
  g_free (bisect);
}

gboolean
bisect_is_bad (const Bisect *bisect, const char *key)
{
  return g_hash_table_contains (bisect->bad, key);
}

gboolean
bisect_is_busy (const BisectBad *bad)
{
  return g_str_equal (bad->sqlstate, BISECT_BUSY);
}

static gboolean
is_kind_of_hold (const char *sqlstate)
{
  return g_str_equal (sqlstate, "hold") || g_str_equal (sqlstate, "restored");
}

gboolean
bisect_is_held (const BisectBad *bad)
{
  return is_kind_of_hold (bad->sqlstate);
}

static BisectSegment *
segment_new (const GPtrArray *keys, guint from, guint to, gboolean known_bad)
{
  BisectSegment *segment = g_new (BisectSegment, 1);
  segment->keys = g_ptr_array_new_with_free_func (g_free);
  segment->known_bad = known_bad;
  for (guint i = from; i < to; i++)
    g_ptr_array_add (segment->keys, g_strdup (keys->pdata[i]));
  return segment;
}

static void
push_halves (Bisect *bisect, const GPtrArray *keys)
{
  guint middle = keys->len / 2;
  g_queue_push_head (&bisect->segments, segment_new (keys, middle, keys->len, FALSE));
  g_queue_push_head (&bisect->segments, segment_new (keys, 0, middle, FALSE));
}

void
bisect_begin (Bisect *bisect, const GPtrArray *keys)
{
  bisect->active = TRUE;
  bisect->page = keys->len;
  if (keys->len == 1)
    g_queue_push_head (&bisect->segments, segment_new (keys, 0, 1, FALSE));
  else
    push_halves (bisect, keys);
}

void
bisect_note (Bisect *bisect, const char *key, const char *reason, const char *sqlstate)
{
  BisectBad *bad = g_new (BisectBad, 1);
  bad->reason = g_strdup (reason);
  bad->sqlstate = g_strdup (sqlstate);
  g_hash_table_insert (bisect->bad, g_strdup (key), bad);
  gpointer n = g_hash_table_lookup (bisect->alike, sqlstate);
  g_hash_table_insert (bisect->alike, g_strdup (sqlstate),
                       GUINT_TO_POINTER (GPOINTER_TO_UINT (n) + 1));
}

BisectSegment *
bisect_next (Bisect *bisect)
{
  BisectSegment *segment;
  while ((segment = g_queue_pop_head (&bisect->segments)) != NULL) {
    if (!segment->known_bad || segment->keys->len == 1)
      return segment;
    push_halves (bisect, segment->keys);
    segment_free (segment);
  }
  bisect->active = FALSE;
  return NULL;
}

void
bisect_tried (Bisect *bisect, BisectSegment *segment, const char *reason, const char *sqlstate,
              gboolean unplaced)
{
  if (reason == NULL) {
    /* The whole page failed and its first half is good, so the second half must fail. */
    BisectSegment *sibling = g_queue_peek_head (&bisect->segments);
    if (sibling != NULL && g_queue_get_length (&bisect->segments) == 1
        && g_hash_table_size (bisect->bad) == 0)
      sibling->known_bad = TRUE;
    bisect->good = TRUE;
  } else if (segment->keys->len == 1) {
    bisect_note (bisect, segment->keys->pdata[0], reason, sqlstate);
    bisect->unplaced += unplaced ? 1 : 0;
  } else
    push_halves (bisect, segment->keys);
  segment_free (segment);
}

static guint
count_alike (const Bisect *bisect, const char *sqlstate)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (bisect->alike, sqlstate));
}

static gboolean
is_most (const Bisect *bisect, guint n)
{
  return bisect->page >= BISECT_SYSTEMIC_PAGE && n * 2 > bisect->page;
}

guint
bisect_systemic_rows (const Bisect *bisect)
{
  GHashTableIter iter;
  gpointer sqlstate;
  g_hash_table_iter_init (&iter, bisect->alike);
  while (g_hash_table_iter_next (&iter, &sqlstate, NULL))
    if (!g_str_equal (sqlstate, BISECT_BUSY) && !is_kind_of_hold (sqlstate)
        && is_most (bisect, count_alike (bisect, sqlstate)))
      return count_alike (bisect, sqlstate);
  return 0;
}

/* A lock of a table stops every trial, and nothing else is sure to: a lock without a place counts
 * as one of a row only beside trials that went well. */
gboolean
bisect_is_all_busy (const Bisect *bisect)
{
  const gboolean ends = g_queue_is_empty ((GQueue *)&bisect->segments);
  return is_most (bisect, count_alike (bisect, BISECT_BUSY))
         || (bisect->unplaced > 0 && !bisect->good
             && (ends || bisect->unplaced >= BISECT_UNPLACED));
}
