#include "engine/job/sentence/sentence_unless.h"

#include "engine/job/sentence/sql_interval.h"
#include "engine/job/sentence/sql_text.h"

#define NOW "pg_catalog.now()"
#define UNLESS "\\s+unless\\b\\s*"

char *
sentence_unless_take (Sentence *sentence, const char *key, const char *value, GError **error)
{
  g_autoptr (GRegex) regex = g_regex_new (UNLESS, G_REGEX_CASELESS | G_REGEX_RAW, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  int start, end;
  if (!g_str_equal (key, "deadline") || !g_regex_match (regex, value, 0, &match))
    return g_strdup (value);
  (void)g_match_info_fetch_pos (match, 0, &start, &end);
  sentence->unless = g_strdup (value + end);
  if (!sql_text_is_expression (sentence->unless, error)
      || !sql_interval_has_units (sentence->unless, error)) {
    g_prefix_error (error, "unless: ");
    return NULL;
  }
  return g_strndup (value, (gsize)start);
}

/* Without `where` a run of a tick takes what `keep` does not, and events name single rows. */
char *
sentence_unless_now (const Sentence *sentence, char **named)
{
  if (sentence->unless == NULL)
    return NULL;
  *named = sentence->where != NULL ? sql_text_at (sentence->where, NOW)
                                   : g_strdup (sentence->keep.rows > 0 ? "true" : "false");
  return sql_text_at (sentence->unless, NOW);
}
