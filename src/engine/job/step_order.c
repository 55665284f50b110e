#include "engine/job/step_order.h"

#include "base/resource.h"
#include "engine/job/step_words.h"
#include "pg/quoted.h"

/* What stands behind the bracket that is open at P, and where it is closed; NULL: nowhere. */
static const char *
behind_bracket (const char *text, const char *p, const char **close)
{
  int depth = 0;
  for (const char *end; *p != '\0'; p = end) {
    end = p + 1;
    if (quoted_at (text, p, &end, NULL) != QUOTED_NOT)
      continue;
    end = p + 1;
    depth += (*p == '(') - (*p == ')');
    if (depth == 0) {
      *close = p;
      return end;
    }
  }
  return NULL;
}

/* TEXT without the brackets around all of it. */
static char *
within_brackets (const char *text)
{
  const char *open = step_words_behind_blanks (text, text), *close = NULL,
             *behind = *open == '(' ? behind_bracket (text, open, &close) : NULL;
  if (behind == NULL || *step_words_behind_blanks (text, behind) != '\0')
    return g_strdup (text);
  g_autofree char *inner = g_strndup (open + 1, (gsize)(close - open) - 1);
  return within_brackets (inner);
}

char *
step_order_of (const char *text)
{
  static const char *const ends[] = { "limit", "offset", "fetch", "for", NULL };
  g_autofree char *query = within_brackets (text);
  gboolean order = FALSE;
  const char *by = NULL;
  int depth = 0;
  for (const char *p = query, *from = query, *at; *p != '\0'; from = p) {
    g_autofree char *word = step_word (query, &p, &at);
    depth += step_words_depth (query, from, at);
    if (depth != 0)
      continue;
    if (by != NULL && g_strv_contains (ends, word))
      return g_strstrip (g_strndup (by, (gsize)(at - by)));
    by = order && g_str_equal (word, "by") ? p : by;
    order = g_str_equal (word, "order");
  }
  return by != NULL ? g_strstrip (g_strdup (by)) : NULL;
}

static gboolean
is_said (const Job *job, const char *file, const char *why, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, file, NULL),
                  *text = resource_sql (path, error),
                  *order = text != NULL ? step_order_of (text) : NULL;
  return order != NULL
         || (text != NULL
             && error_fatal (error, "%s: no ORDER BY at its outer level: %s", path, why));
}

/* `ORDER BY day DESC, id` */
static char *
by_cursor (const Job *job)
{
  GString *text = g_string_new ("ORDER BY");
  for (guint i = 0; i < job->cursor->len; i++) {
    const JobCursor *column = &g_array_index (job->cursor, JobCursor, i);
    g_string_append_printf (text, "%s %s%s", i > 0 ? "," : "", column->name,
                            column->descending ? " DESC" : "");
  }
  return g_string_free (text, FALSE);
}

gboolean
step_order_is_said (const Job *job, GError **error)
{
  g_autofree char *cursor = by_cursor (job),
                  *of_page = g_strdup_printf (
                      "rows that lie in the cursor's order by luck are skipped once they do not: "
                      "add %s",
                      cursor);
  return (job->page == NULL || job->cursor->len == 0 || is_said (job, "page.sql", of_page, error))
         && (job->event_key == NULL
             || is_said (job, "event_key.sql",
                         "a key can go to another event than the one that names it: add the "
                         "number of WITH ORDINALITY",
                         error));
}
