/* The views of the page: each writes one to its sheet.
 *
 * Threads: the request's. Ownership: none.
 */
#pragma once
#include "web/page/sheet.h"

#define VIEW_FILTERS 4
#define VIEWS_ARCHIVE_US (8 * G_TIME_SPAN_DAY) /* of the archive, read unless more is asked for */

typedef struct {
  const char *path, *title;
  gboolean (*show) (Sheet *sheet, GError **error);
  const char *filters[VIEW_FILTERS]; /* names in the query; NULL behind the last */
  gboolean is_detail;                /* of one thing: links lead there, not the menu */
  gboolean asks;   /* stays as it is shown: somebody fills it in, or it costs much */
  gboolean in_own; /* reads in transactions of its own */
} View;

/* All of them, in the order of the menu; the last has no path. */
extern const View VIEWS_TABLE[];
/* NULL: there is none. */
const View *views_find (const char *path);

gboolean view_show_act (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_home (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_job (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_run (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_runs (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_quarantine (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_holds (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_processes (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_journal (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_letters (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_row (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_plan (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_sql (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean view_show_report (Sheet *sheet, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* How many rows a table has at most: more of them for a machine. */
void view_bind_limit (const Sheet *sheet, PgValues *values);
/* Binds from when on the archive is read for VIEW_RUNS: eight days, unless the filter `since` asks
 * for more. */
void view_bind_archive (const Sheet *sheet, PgValues *values);
/* The table of ROWS of VIEW_RUNS, in words; as CSV or JSON as `pruned runs --json` has them. */
void view_show_runs_table (Sheet *sheet, const PgRows *rows, const char *title);
