/* The steps of the jobs that are written in C; jobs.c lists them.
 * Threads, ownership: see pruned/job.h.
 */
#pragma once
#include "pruned/job.h"

extern const JobCode JOB_CODE[]; /* ends with a NULL name */

gboolean adjourned_plan (Step *step, GError **error);
gboolean delete_placeholder_step (Step *const *steps, guint n, gboolean *fits, GError **error);
gboolean destroy_group_foresee (Step *step, GError **error);
gboolean destroy_group_step (Step *const *steps, guint n, gboolean *fits, GError **error);
gboolean prune_foresee (Step *step, GError **error);
gboolean prune_step (Step *const *steps, guint n, gboolean *fits, GError **error);
gboolean prune_plan (Step *step, GError **error);
gboolean schedule_prune_step (Step *const *steps, guint n, gboolean *fits, GError **error);
gboolean schedule_prune_plan (Step *step, GError **error);
gboolean schedule_objects_step (Step *const *steps, guint n, gboolean *fits, GError **error);
gboolean schedule_objects_plan (Step *step, GError **error);
extern const JobErrand delete_objects_errand;
