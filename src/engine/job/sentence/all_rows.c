#include "engine/job/sentence/all_rows.h"

/* With `keep` a decision asks the other rows of the group, too. */
static gboolean
stands_alone (const Sentence *sentence)
{
  return sentence->where != NULL && sentence->keep.rows == 0;
}

/* The page with CONDITION instead of the sentence's. */
static char *
page_with (Words *words, const char *condition)
{
  g_autofree char *due = g_strdup (g_hash_table_lookup (words, "due"));
  words_set (words, "due", condition);
  char *page = words_fill (words, "page");
  words_set (words, "due", due);
  return page;
}

char *
all_rows_known (const Sentence *sentence, Words *words)
{
  if (!stands_alone (sentence))
    return NULL;
  g_autofree char *known = words_fill (words, "known");
  return page_with (words, known);
}

char *
all_rows_page (const Sentence *sentence, Words *words)
{
  return stands_alone (sentence) ? page_with (words, "true") : NULL;
}
