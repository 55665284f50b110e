/* All that is said of one run besides its own columns: its parent, values, steps, tables, children,
 * quarantined items, what operators did to it, and which commands come next. For `pruned runs ID`
 * and the page.
 *
 * Threads: those of the connection. Ownership: run_view_clear.
 */
#pragma once
#include "engine/view/view.h"

typedef enum {
  RUN_VIEW_PARENT,
  RUN_VIEW_VALUES,
  RUN_VIEW_STEPS,
  RUN_VIEW_TABLES,
  RUN_VIEW_CHILDREN,
  RUN_VIEW_QUARANTINED,
  RUN_VIEW_ACTIONS,
  RUN_VIEW_PARTS
} RunViewPart;

typedef struct {
  PgRows *parts[RUN_VIEW_PARTS];
  gboolean stopped, paused;
  gboolean removed; /* it has ended, and removed something */
  char *lost;       /* why nothing of that can be put back; NULL: some of it can */
  char **next;      /* commands */
} RunView;

void run_view_clear (RunView *view);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RunView, run_view_clear)

/* RUN: a row of VIEW_RUN. In the caller's transaction. */
gboolean run_view_look (RunView *view, Pg *pg, const Jobs *jobs, const PgRows *run, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

const char *run_view_name (RunViewPart part);
/* Of its rows: a run that was not divided has steps without a range. ROWS NULL: all. */
const Column *run_view_columns (RunViewPart part, const PgRows *rows);

/* What the run in ROW has done, and how it stands: `180,500 removed; held: ...`. NULL: neither.
 * g_free it. */
char *run_view_result (const PgRows *rows, int row);
/* What follows the words of a run that is held: that it was not counted to its end. Else "". */
const char *run_view_estimated (const PgRows *rows, int row);
/* Its state; of one that has ended as blocked or failed its status. */
const char *run_view_state (const PgRows *rows, int row);
