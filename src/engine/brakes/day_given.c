#include "engine/brakes/day_given.h"

#include "base/clock.h"

#include <pthread.h>

typedef struct {
  char *label;     /* of the count */
  gint64 stamp;    /* of the limits with which it was asked for */
  gint64 left;     /* rows that nobody has taken */
  gint64 until_us; /* monotonic: the count is fresh */
  gboolean tight;  /* a step was refused */
} Day;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *days; /* key -> Day; under the lock */

static void
day_free (gpointer data)
{
  Day *day = data;
  g_free (day->label);
  g_free (day);
}

/* Under the lock. */
static Day *
day_of (const char *key)
{
  if (days == NULL)
    days = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, day_free);
  Day *day = g_hash_table_lookup (days, key);
  if (day == NULL) {
    day = g_new0 (Day, 1);
    g_hash_table_insert (days, g_strdup (key), day);
  }
  return day;
}

gboolean
day_given_is_to_count (const char *key, gint64 stamp, gint64 rows, gboolean *left)
{
  pthread_mutex_lock (&lock);
  const Day *day = day_of (key);
  gboolean count = day->label == NULL || day->tight || day->stamp != stamp
                   || clock_monotonic_us () >= day->until_us;
  *left = day->left >= rows;
  pthread_mutex_unlock (&lock);
  return count;
}

gboolean
day_given_spend (const char *key, const char *label, gint64 rows)
{
  pthread_mutex_lock (&lock);
  Day *day = day_of (key);
  gboolean spent = g_strcmp0 (day->label, label) == 0 && day->left >= rows;
  if (spent)
    day->left -= rows;
  pthread_mutex_unlock (&lock);
  return spent;
}

void
day_given_note_tight (const char *key)
{
  pthread_mutex_lock (&lock);
  day_of (key)->tight = TRUE;
  pthread_mutex_unlock (&lock);
}

gboolean
day_given_is_tight (const char *key)
{
  pthread_mutex_lock (&lock);
  const Day *day = day_of (key);
  const gboolean tight = day->tight;
  pthread_mutex_unlock (&lock);
  return tight;
}

void
day_given_keep (DayGiven *given)
{
  pthread_mutex_lock (&lock);
  Day *day = day_of (given->key);
  if (g_strcmp0 (day->label, given->label) != 0) {
    g_free (day->label);
    day->label = g_steal_pointer (&given->label);
    day->left = 0;
  }
  day->left += given->rows;
  day->stamp = given->stamp;
  day->until_us = clock_monotonic_us () + given->fresh_us - given->age_us;
  day->tight = FALSE;
  pthread_mutex_unlock (&lock);
}
