/* What the audit has of a row and of rows that name it.
 *
 * Threads: those of the connection. Ownership: row_who_clear.
 */
#pragma once
#include "base/cell.h"
#include "engine/view/row/item.h"

#define ROW_WHO_LIMIT 1000

/* A record of a row. */
typedef struct {
  const PgRows *rows;
  int row;
  gint64 at_us;
} RowFound;

typedef struct {
  GPtrArray *answers; /* of PgRows */
  GArray *found;      /* of RowFound, the oldest first */
} RowWho;
void row_who_clear (RowWho *who);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RowWho, row_who_clear)

/* Of ITEM, which is checked; LIMIT of them at most. ALL: also rows that name it and went in other
 * runs, for which the whole audit is read. In a transaction of its own. */
gboolean row_who_ask (RowWho *who, Pg *pg, const Config *config, const Item *item, gint64 limit,
                      gboolean all, GError **error) G_GNUC_WARN_UNUSED_RESULT;

const Column *row_who_columns (void);
/* FOUND as these columns have it. */
json_t *row_who_cells (const Jobs *jobs, const RowFound *found);
/* The word of the rule by which it went; NULL: not known. g_free it. */
char *row_who_reason (const Jobs *jobs, const RowFound *found);
/* The command that puts it back; NULL: only its key is recorded, or not even that. ON_A_LINE:
 * without control characters. g_free it. */
char *row_who_restore (const RowFound *found, gboolean on_a_line);
