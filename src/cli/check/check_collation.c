/* Whether a folder's page compares texts with its cursor as it orders them. A collation that only
 * one of the two has skips the rows whose place differs, and nothing says so. */
#include "cli/check/check.h"

#include "base/resource.h"
#include "engine/job/step_order.h"

#include <string.h>

#define COLLATE "\\bCOLLATE\\s+(?:\\w+\\.)?\"?([\\w.@-]+)\"?"
#define OF_CURSOR ":(?:cursor|until)\\.\\w+(?:::\\w+)?"
/* `name COLLATE "C" > :cursor.name`, `(name COLLATE "C", id) > (:cursor.name, ...)` */
#define BEFORE_CURSOR COLLATE "(?:[^()<>=]*\\))?\\s*[<>]=?\\s*\\(?\\s*" OF_CURSOR
/* `name > :cursor.name COLLATE "C"` */
#define BEHIND_CURSOR OF_CURSOR "\\s+" COLLATE

/* The collation that PATTERN finds in TEXT; NULL: none. g_free it. */
static char *
collation_in (const char *text, const char *pattern)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  return g_regex_match (regex, text, 0, &match) ? g_match_info_fetch (match, 1) : NULL;
}

/* By what TEXT orders: as ORDER BY says, or the column of the cursor that it returns. */
static char *
ordered_by (const Job *job, const char *text, const char *order)
{
  char *found = collation_in (order, COLLATE);
  for (guint i = 0; found == NULL && i < job->cursor->len; i++) {
    g_autofree char *named = g_strdup_printf (COLLATE "\\s+(?:AS\\s+)?\"?%s\\b",
                                              g_array_index (job->cursor, JobCursor, i).name);
    found = collation_in (text, named);
  }
  return found;
}

static char *
compared_by (const char *text)
{
  char *found = collation_in (text, BEFORE_CURSOR);
  return found != NULL ? found : collation_in (text, BEHIND_CURSOR);
}

void
check_collation (Check *check)
{
  const Job *job = check->job;
  if (job->page == NULL || job->sentence != NULL || job->built_in)
    return;
  char *path = g_build_filename (job->folder, "page.sql", NULL);
  g_ptr_array_add (check->texts, path);
  g_autofree char *text = resource_sql (path, NULL),
                  *order = text != NULL ? step_order_of (text) : NULL;
  if (order == NULL)
    return;
  g_autofree char *ordered = ordered_by (job, text, order), *compared = compared_by (text);
  if (g_strcmp0 (ordered, compared) != 0)
    check_error (check, CODE_CONFIG, "cursor", (CheckPlace){ path, 0 }, NULL,
                 "it is ordered by the collation %s and compared with the cursor by %s: rows whose "
                 "place differs would be skipped. Say COLLATE in both: `name COLLATE \"C\" > "
                 ":cursor.name ... ORDER BY name COLLATE \"C\"`",
                 ordered != NULL ? ordered : "of the column",
                 compared != NULL ? compared : "that of the column");
}
