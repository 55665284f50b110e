/* Why a row is still there: each job whose rows are of its table is asked what a run of now would
 * do with it. For `pruned why` and the page.
 *
 * Threads: those of the connection. Ownership: row_why_clear.
 */
#pragma once
#include "base/cell.h"
#include "engine/view/row/item.h"

typedef struct {
  json_t *lines; /* one a job that has to do with it, as the columns have them */
  gboolean gone; /* there is no such row: one line says so */
} RowWhy;
void row_why_clear (RowWhy *why);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RowWhy, row_why_clear)

/* What is known before. */
typedef struct {
  const Jobs *jobs;
  Pg *pg;
  const PgRows *nights; /* of night_ask, those of JOBS first, in their order */
} RowWhyOf;

/* Of the row GIVEN, TABLE:KEY. In read-only transactions of its own, without locks. After an error
 * WHY has the lines up to there. */
ItemEnd row_why_ask (RowWhy *why, const RowWhyOf *of, const char *given, GError **error);

const Column *row_why_columns (void);
/* Its place of `job`, `says` and `commands` in them. */
enum { ROW_WHY_JOB = 1, ROW_WHY_SAYS = 3, ROW_WHY_COMMANDS = 7 };
