#include "cli/words.h"

#include "base/clock.h"

#define SECOND_US G_USEC_PER_SEC

char *
words_of_number (gint64 number)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GINT64_FORMAT, number);
  GString *words = g_string_new (digits);
  gssize first = number < 0 ? 1 : 0;
  for (gssize at = (gssize)words->len - 3; at > first; at -= 3)
    g_string_insert_c (words, at, ',');
  return g_string_free (words, FALSE);
}

static void
add (GString *words, const char *name, gint64 number)
{
  g_autofree char *amount = words_of_number (number);
  g_autofree char *readable = g_strdelimit (g_strdup (name), "_", ' ');
  g_string_append_printf (words, "%s%s %s", words->len > 0 ? ", " : "", amount, readable);
}

static char *
take (GString *words)
{
  return g_string_free (words, words->len == 0);
}

typedef struct {
  const char *name;
  gint64 number;
} Count;

/* What was removed comes first, then the larger numbers. */
static int
by_weight (gconstpointer a, gconstpointer b)
{
  const Count *x = a, *y = b;
  int removed = g_str_equal (y->name, "removed") - g_str_equal (x->name, "removed");
  if (removed != 0 || x->number == y->number)
    return removed != 0 ? removed : g_strcmp0 (x->name, y->name);
  return x->number < y->number ? 1 : -1;
}

/* WITHOUT: a counter that is left out; NULL: none. */
static void
add_all (GString *words, const json_t *counts, const char *without)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Count));
  const char *name;
  json_t *n;
  json_object_foreach ((json_t *)counts, name, n) {
    Count count = { name, json_integer_value (n) };
    if (count.number != 0 && g_strcmp0 (name, without) != 0)
      g_array_append_val (sorted, count);
  }
  g_array_sort (sorted, by_weight);
  for (guint i = 0; i < sorted->len; i++) {
    const Count *count = &g_array_index (sorted, Count, i);
    add (words, count->name, count->number);
  }
}

char *
words_of_counts (const json_t *counts)
{
  GString *words = g_string_new (NULL);
  add_all (words, counts, NULL);
  return take (words);
}

/* `updated_rows` is the sum of other counters, where there are any. */
char *
words_of_result (const json_t *result)
{
  GString *words = g_string_new (NULL);
  const char *reason = json_string_value (json_object_get (result, "reason"));
  gint64 updated = json_integer_value (json_object_get (result, "updated_rows"));
  add_all (words, result, "updated_rows");
  if (words->len == 0 && updated != 0)
    add (words, "rows", updated);
  const char *held = json_string_value (json_object_get (result, "would_be_held"));
  if (reason != NULL)
    g_string_append_printf (words, "%s%s", words->len > 0 ? "; " : "", reason);
  if (held != NULL)
    g_string_append_printf (words, "%swould be held: %s", words->len > 0 ? "; " : "", held);
  return take (words);
}

char *
words_of_time (const char *time, gint64 now_us)
{
  static const struct {
    gint64 seconds;
    const char *unit;
  } units[] = { { 2 * 86400, "days" }, { 2 * 3600, "h" }, { 2 * 60, "min" }, { 1, "s" } };
  static const gint64 sizes[] = { 86400, 3600, 60, 1 };
  gint64 us;
  if (time == NULL || !clock_parse (time, &us, NULL))
    return NULL;
  gint64 seconds = (us > now_us ? us - now_us : now_us - us) / SECOND_US;
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (seconds >= units[i].seconds)
      return g_strdup_printf (us > now_us ? "in %" G_GINT64_FORMAT " %s"
                                          : "%" G_GINT64_FORMAT " %s ago",
                              seconds / sizes[i], units[i].unit);
  return g_strdup ("now");
}
