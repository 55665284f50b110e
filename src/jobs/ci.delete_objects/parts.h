/* What a step of a slot is made of, alone or with others.
 * Threads: a worker. Ownership: see each function. */
#pragma once
#include "jobs/ci.delete_objects/kept.h"
#include "jobs/ci.delete_objects/passing.h"

typedef struct {
  guint gone; /* objects that are */
  gint64 removed;
  guint failed;
  gboolean more; /* objects are ready */
} Settled;

/* Where the step before ended; NULL: the beginning. The step's. */
const char *parts_reached_before (const Step *step, const Passing *passing);
/* How many rows the step leases at most. */
gint64 parts_lease_limit (Step *step);
/* The step has leased them: its time begins. */
void parts_begin (Step *step, Leased *leased);
/* Column NAME of the objects WHICH, as an array literal; g_free it. */
char *parts_column (const Leased *leased, const char *name, const GArray *which);
/* Queues the deletes of the rows of the objects GONE. */
gboolean parts_queue_gone (Step *step, const Leased *leased, const GArray *gone, GError **error);
/* Queues the deletes of the quarantine's entries of all that is gone of N steps. */
gboolean parts_queue_cured (Step *step, Leased *const *leased, guint n, GError **error);
/* Counters, and the outcome. */
void parts_report (Step *step, const Leased *leased, const Settled *settled);
