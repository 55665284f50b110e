/* `pruned report`: what was done since a day, for auditors and for mail. All forms are written from
 * the same parts, each a table; an HTML file needs no other.
 *
 * Threads: main only. Ownership: as said.
 */
#pragma once
#include "cli/cli.h"

/* A table of the report. Cells are text or numbers (json_t), null where there is nothing. */
typedef struct {
  const char *name, *title; /* for machines, for people */
  const Column *columns;    /* ended by one without a name */
  json_t *rows;             /* a list of lists of cells */
  const char *none;         /* said where there is no row */
} ReportPart;

typedef struct {
  char *title;   /* one line */
  char *note;    /* what it does not have; NULL: nothing */
  GArray *parts; /* of ReportPart */
} Report;

void report_clear (Report *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Report, report_clear)

/* What was done since the beginning of the day (UTC) of SINCE_US, and what is overdue now. In
 * transactions of its own that read. */
gboolean report_look (Report *report, Cli *cli, Pg *pg, gint64 since_us, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* The whole text, with a line break at its end. g_free it. csv: RFC 4180, a part behind the other
 * with its own line of names; a text that a spreadsheet would compute gets an apostrophe before it.
 */
char *report_as_text (const Report *report);
char *report_as_csv (const Report *report);
char *report_as_html (const Report *report);
/* One object, whose parts are lists of objects. New reference. */
json_t *report_as_json (const Report *report);
