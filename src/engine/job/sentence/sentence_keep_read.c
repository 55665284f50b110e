#include "engine/job/sentence/sentence_keep_read.h"

#include "engine/job/sentence/sql_text.h"

/* `seen_at desc`, perhaps with the words for what holds in any case: NULL is oldest. */
static char *
order_of (const char *item, GError **error)
{
  const char *at = item;
  g_autofree char *name = sql_text_name (&at, 1, error);
  if (name == NULL)
    return NULL;
  gboolean descending = sql_text_skip_word (&at, "desc");
  gboolean ascending = !descending && sql_text_skip_word (&at, "asc");
  const gboolean nulls = sql_text_skip_word (&at, "nulls");
  const gboolean last = nulls && sql_text_skip_word (&at, "last");
  if (*at == '\0' && last == nulls)
    return g_strconcat (name, descending ? " desc" : ascending ? " asc" : "", NULL);
  if (nulls)
    error_fatal (error, "'%s': NULL is always oldest, as with 'nulls last'", item);
  else
    error_fatal (error, "'%s' is not 'column', 'column asc' or 'column desc'", item);
  return NULL;
}

static char **
orders_of (const char *text, GError **error)
{
  g_auto (GStrv) items = sql_text_list (text, error);
  for (guint i = 0; items != NULL && items[i] != NULL; i++) {
    char *order = order_of (items[i], error);
    if (order == NULL)
      return NULL;
    g_free (items[i]);
    items[i] = order;
  }
  return g_steal_pointer (&items);
}

/* The start of the keyword `by` that is in no quotes; NULL: there is none. */
static const char *
find_by (const char *text)
{
  gboolean quoted = FALSE;
  for (const char *p = text; *p != '\0'; p++) {
    const char *at = p;
    quoted = quoted != (*p == '"');
    if (!quoted && (p == text || g_ascii_isspace (p[-1]) || p[-1] == '"')
        && sql_text_skip_word (&at, "by"))
      return p;
  }
  return NULL;
}

gboolean
sentence_keep_read (SentenceKeep *keep, const char *value, GError **error)
{
  const char *at = value;
  char *end = NULL;
  keep->rows = g_ascii_isdigit (*at) ? g_ascii_strtoll (at, &end, 10) : 0;
  if (keep->rows < 1 || keep->rows > G_MAXINT32 || !g_ascii_isspace (*end))
    return error_fatal (error,
                        "expected N [per column, ...] by column [desc], ... with N from 1 on");
  at = end;
  gboolean per = sql_text_skip_word (&at, "per");
  const char *by = find_by (at);
  if (by == NULL)
    return error_fatal (error, "'by' is missing: it says which rows stay");
  g_autofree char *groups = g_strstrip (g_strndup (at, by - at));
  if (!per && *groups != '\0')
    return error_fatal (error, "expected 'per' or 'by' at '%s'", groups);
  sql_text_skip_word (&by, "by");
  g_strfreev (keep->per);
  keep->per = per ? sql_text_columns (groups, error) : g_new0 (char *, 1);
  if (keep->per == NULL) {
    g_prefix_error (error, "per: ");
    return FALSE;
  }
  g_strfreev (keep->by);
  keep->by = orders_of (by, error);
  if (keep->by == NULL)
    g_prefix_error (error, "by: ");
  return keep->by != NULL;
}
