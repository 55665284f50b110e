/* What was done since a day, for auditors and for mail: `pruned report`, and a view of the page.
 * All forms are written from the same parts, each a table; an HTML file needs no other.
 *
 * Threads: those of the connection. Ownership: as said.
 */
#pragma once
#include "engine/view/view.h"

/* A table of the report. Cells are text or numbers (json_t), null where there is nothing. */
typedef struct {
  const char *name, *title; /* for machines, for people */
  const Column *columns;    /* ended by one without a name */
  json_t *rows;             /* a list of lists of cells */
  const char *none;         /* said where there is no row */
} ReportPart;

typedef struct {
  char *title;    /* one line */
  char *note;     /* what it does not have; NULL: nothing */
  GArray *parts;  /* of ReportPart */
  PgRows *nights; /* of VIEW_NIGHTS, for the chart of an HTML file; NULL: it has none */
} Report;

void report_clear (Report *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Report, report_clear)

/* What was done since the beginning of the day (UTC) of SINCE_US, and what is overdue now, by
 * OVERDUE, rows of night_ask. In the caller's transaction. */
gboolean report_look (Report *report, Pg *pg, const Jobs *jobs, const PgRows *overdue,
                      gint64 since_us, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The whole text, with a line break at its end. g_free it. csv: RFC 4180, a part behind the other
 * with its own line of names; a text that a spreadsheet would compute gets an apostrophe before it.
 */
char *report_as_text (const Report *report);
char *report_as_csv (const Report *report);
char *report_as_html (const Report *report);
/* One object, whose parts are lists of objects. New reference. */
json_t *report_as_json (const Report *report);
