/* The rules for a run's arguments. A job declares them (`arguments = user_id bigint; cursor`).
 * Every entry checks here: intake, replay, `pruned tick`, `pruned emit`, and the step that makes a
 * child. Arguments that are refused here would fail at each retry.
 *
 * Threads: any. Ownership: reasons are the caller's (g_free); NULL: nothing is wrong.
 */
#pragma once
#include "engine/job/job.h"

/* Why a tick of JOB must not carry ARGS, whose encoded form has LEN bytes. The reason names the
 * argument. Changes numbers like 1.0 in ARGS into whole numbers where the type asks for one,
 * because PostgreSQL refuses 1.0 there. */
char *arguments_refusal (const Job *job, json_t *args, gsize len);
/* The same for a child's arguments: a parent can pass arguments that a tick cannot. `cursor` is not
 * checked. */
char *arguments_child_refusal (const Job *job, json_t *args);
/* The same for a run that exists, whatever wrote its row. `cursor` is not checked. */
char *arguments_run_refusal (const Job *job, json_t *args);
/* Why arguments of LEN bytes are too large: [runs] max_args_bytes of CONFIG. */
char *arguments_size_refusal (const Config *config, gsize len);
