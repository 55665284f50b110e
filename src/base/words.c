#include "base/words.h"

#include "base/clock.h"
#include "base/plural.h"
#include "base/spoken.h"

#include <string.h>

#define SECOND_US G_USEC_PER_SEC

/* One that is wide takes two columns, one that is put on the character before it takes none. */
static glong
columns_of (gunichar character)
{
  return g_unichar_iswide (character) ? 2 : g_unichar_iszerowidth (character) ? 0 : 1;
}

glong
words_width (const char *text)
{
  glong width = 0;
  for (; *text != '\0'; text = g_utf8_next_char (text))
    width += columns_of (g_utf8_get_char (text));
  return width;
}

char *
words_cut (const char *text, glong most)
{
  glong width = 0;
  const char *end = text;
  if (words_width (text) <= most)
    return g_strdup (text);
  while (width + columns_of (g_utf8_get_char (end)) < most) {
    width += columns_of (g_utf8_get_char (end));
    end = g_utf8_next_char (end);
  }
  g_autofree char *part = g_strndup (text, (gsize)(end - text));
  return g_strconcat (part, "…", NULL);
}

/* Where the first line of TEXT ends, which takes more than MOST columns. */
static const char *
line_end (const char *text, glong most)
{
  glong width = 0;
  const char *end = text, *blank = NULL, *mark = NULL;
  for (; width + columns_of (g_utf8_get_char (end)) <= most; end = g_utf8_next_char (end)) {
    width += columns_of (g_utf8_get_char (end));
    if (*end == ' ')
      blank = end;
    if (strchr (",:._/-", *end) != NULL)
      mark = end + 1;
  }
  if (*end == ' ')
    blank = end;
  const char *found = blank != NULL ? blank : mark != NULL ? mark : end;
  return found > text ? found : g_utf8_next_char (text);
}

static gboolean
is_wider (const char *text, glong most)
{
  for (; *text != '\0' && most >= 0; text = g_utf8_next_char (text))
    most -= columns_of (g_utf8_get_char (text));
  return most < 0;
}

char **
words_wrap (const char *text, glong most)
{
  GPtrArray *lines = g_ptr_array_new ();
  while (is_wider (text, most)) {
    const char *end = line_end (text, most);
    char *line = g_strndup (text, (gsize)(end - text));
    g_ptr_array_add (lines, g_strchomp (line));
    for (text = end; *text == ' '; text++)
      ;
  }
  if (*text != '\0' || lines->len == 0)
    g_ptr_array_add (lines, g_strdup (text));
  g_ptr_array_add (lines, NULL);
  return (char **)g_ptr_array_free (lines, FALSE);
}

/* Counters of the built-in jobs that are named by what they count; others are participles. */
static const char *
noun_of (const char *counter, gint64 number)
{
  static const char *const nouns[][2] = { { "rows", "row" },
                                          { "groups", "group" },
                                          { "projects", "project" },
                                          { "members", "member" },
                                          { "artifacts", "artifact" },
                                          { "errors", "error" },
                                          { "rows would change", "row would change" } };
  for (guint i = 0; i < G_N_ELEMENTS (nouns); i++)
    if (g_str_equal (counter, nouns[i][0]))
      return plural (number, nouns[i][1], counter);
  return spoken_word (counter);
}

static void
add (GString *words, const char *name, gint64 number)
{
  g_autofree char *amount = spoken_number (number);
  g_autofree char *readable = g_strdelimit (g_strdup (noun_of (name, number)), "_", ' ');
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

/* The counters of COUNTS less those of GONE that are not 0, sorted. WITHOUT: a counter that is left
 * out; NULL: none. */
static GArray *
sorted_counts (const json_t *counts, const json_t *gone, const char *without)
{
  GArray *sorted = g_array_new (FALSE, FALSE, sizeof (Count));
  const char *name;
  json_t *n;
  json_object_foreach ((json_t *)counts, name, n) {
    Count count
        = { name, json_integer_value (n) - json_integer_value (json_object_get (gone, name)) };
    if (count.number != 0 && g_strcmp0 (name, without) != 0)
      g_array_append_val (sorted, count);
  }
  g_array_sort (sorted, by_weight);
  return sorted;
}

static void
add_all (GString *words, const GArray *counts)
{
  for (guint i = 0; i < counts->len; i++) {
    const Count *count = &g_array_index (counts, Count, i);
    add (words, count->name, count->number);
  }
}

char *
words_of_counts (const json_t *counts)
{
  GString *words = g_string_new (NULL);
  g_autoptr (GArray) sorted = sorted_counts (counts, NULL, NULL);
  add_all (words, sorted);
  return take (words);
}

#define SUM "updated_rows" /* of other counters, where there are any */

/* What was done. */
static char *
words_of_done (const json_t *counts)
{
  GString *words = g_string_new (NULL);
  g_autoptr (GArray) sorted = sorted_counts (counts, NULL, SUM);
  gint64 updated = json_integer_value (json_object_get (counts, SUM));
  add_all (words, sorted);
  if (words->len == 0 && updated != 0)
    add (words, "rows", updated);
  return take (words);
}

/* What a run in mode plan would do, besides what it had done before: GONE, or NULL. */
static char *
words_of_plan (const json_t *counts, const json_t *gone)
{
  GString *words = g_string_new (NULL);
  g_autoptr (GArray) sorted = sorted_counts (counts, gone, SUM);
  gint64 updated = json_integer_value (json_object_get (counts, SUM))
                   - json_integer_value (json_object_get (gone, SUM));
  if (sorted->len > 0) {
    g_autofree char *first = g_strconcat ("would be ", g_array_index (sorted, Count, 0).name, NULL);
    g_array_index (sorted, Count, 0).name = first;
    add_all (words, sorted);
  } else if (updated != 0)
    add (words, "rows would change", updated);
  else
    g_string_append (words, "nothing");
  g_string_prepend (words, "planned: ");
  return take (words);
}

static void
add_part (GString *words, const char *part)
{
  if (part != NULL)
    g_string_append_printf (words, "%s%s", words->len > 0 ? "; " : "", part);
}

char *
words_of_result (const json_t *result)
{
  GString *words = g_string_new (NULL);
  const char *held = json_string_value (json_object_get (result, "would_be_held"));
  const json_t *applied = json_object_get (result, "applied");
  gboolean plan = g_strcmp0 (json_string_value (json_object_get (result, "mode")), "plan") == 0;
  g_autofree char *done = words_of_done (plan ? applied : result),
                  *planned = plan ? words_of_plan (result, applied) : NULL;
  add_part (words, done);
  add_part (words, planned);
  add_part (words, json_string_value (json_object_get (result, "reason")));
  if (held != NULL) {
    g_autofree char *would = g_strconcat ("would be held: ", held, NULL);
    add_part (words, would);
  }
  return take (words);
}

/* VALUE, below the name that a result has for it. */
static void
add_value (GString *words, const json_t *value)
{
  const char *name;
  json_t *one;
  size_t i;
  const gsize begin = words->len;
  json_object_foreach ((json_t *)value, name, one) {
    g_string_append_printf (words, "%s%s%s ", words->len > begin ? ", " : "", name,
                            json_is_object (one) ? ":" : "");
    add_value (words, one);
  }
  json_array_foreach (value, i, one) {
    g_string_append (words, words->len > begin ? ", " : "");
    add_value (words, one);
  }
  g_autofree char *text = json_is_integer (value)  ? spoken_number (json_integer_value (value))
                          : json_is_string (value) ? g_strdup (json_string_value (value))
                          : json_is_object (value) || json_is_array (value) ? g_strdup ("")
                                                                            : json_text (value);
  g_string_append (words, text);
}

char *
words_of_whole (const json_t *result)
{
  const char *status = json_string_value (json_object_get (result, "status")), *name;
  json_t *value;
  g_autoptr (GString) words = g_string_new (status != NULL ? spoken_word (status) : NULL),
                      more = g_string_new (NULL);
  json_object_foreach ((json_t *)result, name, value) {
    if (json_is_integer (value))
      add (words, name, json_integer_value (value));
    else if (!g_str_equal (name, "status")) {
      g_string_append_printf (more, "; %s: ", name);
      add_value (more, value);
    }
  }
  return g_strconcat (words->str, more->str, NULL);
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

char *
words_in_one_line (const char *text)
{
  g_autoptr (GRegex) blanks = g_regex_new ("\\s+", G_REGEX_RAW, 0, NULL);
  return g_strstrip (g_regex_replace_literal (blanks, text, -1, 0, " ", 0, NULL));
}
