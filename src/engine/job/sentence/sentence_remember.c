#include "engine/job/sentence/sentence_remember.h"

#include "engine/job/sentence/list.h"
#include "engine/job/sentence/sentence_key.h"
#include "engine/job/sentence/sql_text.h"

#include <string.h>

/* `10 years`. A month counts as its longest, a year as well: nothing is forgotten too early. */
static const struct {
  const char *unit;
  int days;
} UNITS[] = { { "day", 1 }, { "week", 7 }, { "month", 31 }, { "year", 366 } };

int
sentence_remember_days (const char *text)
{
  g_auto (GStrv) words = g_regex_split_simple (" +", text, 0, 0);
  guint64 n = 0;
  const char *unit = g_strv_length (words) == 2 ? words[1] : "";
  const gsize len = strlen (unit) - (g_str_has_suffix (unit, "s") ? 1 : 0);
  for (guint i = 0; i < G_N_ELEMENTS (UNITS); i++)
    if (len == strlen (UNITS[i].unit) && g_ascii_strncasecmp (unit, UNITS[i].unit, len) == 0
        && g_ascii_string_to_unsigned (words[0], 10, 1, 999, &n, NULL))
      return (int)n * UNITS[i].days;
  return 0;
}

gboolean
sentence_remember_read (gpointer into, const Key *key, const char *text, GError **error)
{
  Sentence *sentence = into;
  sentence->remember_days = sentence_remember_days (text);
  return sentence->remember_days > 0
         || error_fatal (error,
                         "expected a number of days, weeks, months or years, like 10 years,"
                         " not '%s'",
                         text);
}

gboolean
sentence_born_read (gpointer into, const Key *key, const char *text, GError **error)
{
  Sentence *sentence = into;
  sentence->born_said = TRUE;
  if (g_str_equal (text, SENTENCE_BORN_NONE))
    return TRUE;
  return (sentence->born = sql_text_only_name (text, 1, error)) != NULL;
}

gboolean
sentence_remember_check (const Sentence *sentence, const Section *section, GError **error)
{
  const KeyFileEntry *remember = section_find (section, "remember"),
                     *born = section_find (section, "born");
  if (remember == NULL)
    return born == NULL || section_fail (section, born, error, "born: only beside 'remember'");
  if (sentence->keep.rows > 0)
    return section_fail (section, remember, error,
                         "remember: not with 'keep': a row that was not among the newest can be"
                         " among the newest that a backup has");
  if (sentence->older_than != NULL)
    return section_fail (section, remember, error,
                         "remember: not with 'drop_partitions_older_than': no key of a row is read"
                         " there");
  return sentence->born_said
         || section_fail (section, remember, error,
                          "remember: which column says when a row of %s was made? A key that is"
                          " used anew must stay. Write born = COLUMN; or born = none if no key is"
                          " ever used twice, as with random UUIDs",
                          sentence->table);
}

/* --- with the catalogue --- */

/* Types of a time, and how a row's time is read so that it is never too early. A time without a
 * zone can be that of any place: 12 hours behind UTC. A day may be over, too. */
static const struct {
  const char *type, *expression;
} BORN[] = { { "timestamptz", "%s.%s" },
             { "timestamp", "(%s.%s AT TIME ZONE 'UTC') + interval '12 hours'" },
             { "date", "(%s.%s::timestamp AT TIME ZONE 'UTC') + interval '36 hours'" } };

static const char *
expression_of (const CatColumn *column)
{
  for (guint i = 0; i < G_N_ELEMENTS (BORN); i++)
    if (g_str_equal (BORN[i].type, column->type))
      return BORN[i].expression;
  return NULL;
}

char *
sentence_born_refusal (const Sentence *sentence, const CatTable *table)
{
  const CatColumn *column
      = sentence->born != NULL ? catalogue_column (table, sentence->born) : NULL;
  if (sentence->born_guessed)
    return NULL;
  if (sentence->born != NULL && column == NULL) {
    g_autofree char *why = catalogue_no_column (table, sentence->born);
    return g_strdup_printf ("born: %s", why);
  }
  return column == NULL || expression_of (column) != NULL
             ? NULL
             : g_strdup_printf ("born: %s is %s: expected a column with a time or a date",
                                sentence->born, column->declared);
}

char *
sentence_born (const Sentence *sentence, const CatTable *table)
{
  const CatColumn *column
      = sentence->born != NULL ? catalogue_column (table, sentence->born) : NULL;
  if (sentence->born_guessed && (column == NULL || expression_of (column) == NULL))
    return g_strdup ("NULL::timestamptz");
  if (column == NULL)
    return NULL;
  g_auto (GStrv) parts = g_strsplit (expression_of (column), "%s.%s", 2);
  return g_strdup_printf ("%s%s.%s%s", parts[0], table->own, column->quoted, parts[1]);
}

/* --- reapplied --- */

#define OF_RUN "pruned.reapply AS pruned_a WHERE pruned_a.run_id = :run_id::uuid"

char *
sentence_again_due (const Sentence *sentence, const CatTable *table)
{
  g_autofree char *key = list_key (table), *born = sentence_born (sentence, table),
                  *older = born != NULL ? g_strdup_printf (" AND %s < pruned_a.erased_at", born)
                                        : g_strdup ("");
  return g_strdup_printf ("EXISTS (SELECT FROM " OF_RUN
                          " AND pruned_a.key = pg_catalog.format('%%s', %s) COLLATE \"C\"%s)",
                          key, older);
}

char *
sentence_again_found (const CatTable *table)
{
  g_autofree char *rows = sentence_key_rows_of (table, "(SELECT pruned_a.key, 1 FROM " OF_RUN ")"),
                  *match = list_equal (table->own, table->key, "pruned_k");
  return g_strdup_printf ("EXISTS (SELECT FROM %s WHERE %s)", rows, match);
}
