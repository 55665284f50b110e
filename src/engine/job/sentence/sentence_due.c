#include "engine/job/sentence/sentence_due.h"

/* Whether the expression TEXT has the name QUOTED as a word of its own. */
static gboolean
names (const char *text, const char *quoted)
{
  g_autofree char *escaped = g_regex_escape_string (quoted, -1),
                  *pattern = g_strdup_printf ("(?<![\\w\"'$])%s(?![\\w\"'$(])", escaped);
  return g_regex_match_simple (pattern, text, G_REGEX_CASELESS, 0);
}

const CatColumn *
sentence_due_column (const Sentence *sentence, const CatTable *table)
{
  const CatColumn *time = NULL, *any = NULL;
  guint times = 0, all = 0;
  if (sentence->due != NULL)
    return catalogue_column (table, sentence->due);
  for (guint i = 0; sentence->where != NULL && i < table->columns->len; i++) {
    const CatColumn *column = table->columns->pdata[i];
    if (!names (sentence->where, column->quoted))
      continue;
    all++;
    any = column;
    if (g_str_has_prefix (column->type, "timestamp") || g_str_equal (column->type, "date")) {
      times++;
      time = column;
    }
  }
  return times == 1 ? time : times == 0 && all == 1 ? any : NULL;
}
