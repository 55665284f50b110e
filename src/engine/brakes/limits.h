/* The limits of a job in rows, for one run of it.
 *
 * Threads: any. Ownership: as said.
 */
#pragma once
#include "engine/brakes/day.h"

typedef struct {
  gint64 max_rows, day, share, ratio; /* rows that the run may change; LIMIT_NONE: off */
  gint64 went;                        /* rows that other runs of the day have changed */
  gint64 of_rows;                     /* rows of the table */
  gint64 usual;                       /* rows of a run */
  StepEvents events; /* with `limit`: runs that events start exceed it together, and it is no limit
                        of this run alone */
} RowLimits;

/* Reads what the limits need: the rows of the table, the usual, the rows of the day. BELOW rows of
 * the run are of other tables: they are not compared with the share, nor with the usual. GONE rows
 * of the table have been removed by the open transaction. */
gboolean limits_read (Step *step, gint64 below, gint64 gone, RowLimits *limits, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* The share is of the table as it was before the run of STEP had removed any row, in this step or
 * before. */
void limits_add_gone (const Step *step, RowLimits *limits);
/* How many rows the runs of a shared transaction may have changed when another one begins: a small
 * part of the limit of a day, because they are done again one by one if they exceed it. 0: it is so
 * low that each goes alone. */
gint64 limits_shared_rows (const Job *job);
/* How many rows the run may change. */
gint64 limits_least (const RowLimits *limits);
/* The setting that ROWS exceed; NULL: none. */
const char *limits_exceeded (const RowLimits *limits, gint64 rows);
/* Adds to HELD what LIMIT was compared with. */
void limits_add_measure (const RowLimits *limits, const char *limit, json_t *held);
/* The settings of JOB that are not off. New reference. */
json_t *limits_settings (const Job *job);

/* Why a run of ROWS is held that no limit holds: `approve`; NULL: it is not. Reads whether the
 * job's version is known. FALSE: error. */
gboolean limits_ask (Step *step, gint64 rows, const char **why, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
