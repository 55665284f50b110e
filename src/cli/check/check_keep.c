/* The index by which the newest rows of a group are found (`keep`). Without it each row is compared
 * with all rows of its group, or of the table. */
#include "cli/check/check.h"

#include "base/spoken.h"
#include "pg/quoted.h"

#define SQL "src/cli/check/sql/"

/* The names of COLUMNS, and which of them descend: `seen_at desc`. */
static void
add_columns (char **columns, GString *names, GString *falling)
{
  for (char **one = columns; one != NULL && *one != NULL; one++) {
    const gsize len = strlen (*one);
    const gboolean falls = len > 5 && g_ascii_strcasecmp (*one + len - 5, " desc") == 0,
                   rises = len > 4 && g_ascii_strcasecmp (*one + len - 4, " asc") == 0;
    g_autofree char *written = g_strndup (*one, len
                                                    - (falls   ? 5
                                                       : rises ? 4
                                                               : 0)),
                    *name = quoted_bare (g_strstrip (written));
    array_add (names, name);
    if (falling != NULL)
      array_add (falling, falls ? "t" : "f");
  }
}

void
check_keep (Check *check)
{
  const Sentence *sentence = check->job->sentence;
  if (sentence->keep.rows == 0 || !check_index_may_be_large (check, check->job->table))
    return;
  GString *per = array_new (), *by = array_new (), *falling = array_new ();
  g_autoptr (PgValues) values = pg_values_new ();
  add_columns (sentence->keep.per, per, NULL);
  add_columns (sentence->keep.by, by, falling);
  pg_values_set (values, "relation", check->job->table);
  pg_values_take (values, "per", array_take (per));
  pg_values_take (values, "by", array_take (by));
  pg_values_take (values, "falling", array_take (falling));
  g_autoptr (PgRows) rows = check_ask (check, "index", SQL "keep_index.sql", values);
  if (rows == NULL || rows_count (rows) == 0 || rows_bool (rows, 0, "there")
      || rows_int (rows, 0, "n") < CHECK_LARGE)
    return;
  g_autofree char *n = spoken_number (rows_int (rows, 0, "n"));
  check_error (check, CODE_NOT_FOUND, "index", check_place_of_key (check, "keep"),
               rows_text (rows, 0, "make"), CHECK_READS_ALL_MEND, check->job->table, n,
               ", to find those that stay");
}
