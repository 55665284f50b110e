#include "engine/job/sentence/all_rows.h"

char *
all_rows_page (const Sentence *sentence, Words *words)
{
  /* With `keep` a decision asks the other rows of the group, too. */
  if (sentence->where == NULL || sentence->keep.rows > 0 || sentence->portion > 0
      || sentence->kind == SENTENCE_OBJECTS)
    return NULL;
  g_autofree char *due = g_strdup (g_hash_table_lookup (words, "due"));
  words_set (words, "due", "true");
  char *page = words_fill (words, "page");
  words_set (words, "due", due);
  return page;
}
