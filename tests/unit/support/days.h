/* Steps that take their rows from those of a day, limited to 1000 in four lanes.
 *
 * Threads: the test's own; config_test_run runs the tests. Ownership: of this module.
 */
#pragma once
#include "engine/brakes/day.h"
#include "support/steps.h"

/* The statements of a step that counts; that takes what its process was given; that asks for more.
 */
#define DAYS_COUNTED "day_alone day day_counted"
#define DAYS_MEMORY "day_share day_label"
#define DAYS_GIVEN "day_share day_give"

/* What the last step was given. */
extern DayAllowance days_allowance;

/* A process that has not asked for rows yet; AGAIN: the last one. SETTINGS: of the job. */
StepScene *days_begin (const char *settings, gboolean again);
void days_end (void);
/* What PostgreSQL answers next: the rows of the day, the label of the count that holds, and what is
 * given (`label|portion|age_us`). NULL: no row. */
void days_answer (const char *sum, const char *label, const char *given);
/* A count of SUM rows under LABEL, in which PORTION is given. */
void days_answer_count (const char *sum, const char *label, gint64 portion);

/* A transaction that changes ROWS. */
gboolean days_take (gint64 rows, GError **error);
/* It goes, and has ASKED these statements. */
void days_takes (gint64 rows, const char *asked);
/* It does not go, uncharged. AGAIN: it is done again at once. BRAKE: its run is stopped. */
void days_refuses (gint64 rows, const char *asked, gboolean again, StepBrake brake);
