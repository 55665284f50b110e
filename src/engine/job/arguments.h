/* What a run's arguments may be. A job declares them (`arguments = user_id bigint; cursor`), and
 * every door asks here: intake, replay, `pruned tick`, `pruned emit`, and the step that makes a
 * child. What is refused here would fail at each of its retries.
 *
 * Threads: any. Ownership: reasons are the caller's (g_free), NULL: nothing is wrong.
 */
#pragma once
#include "engine/job/job.h"

/* Is TYPE one that an argument may be declared with? */
gboolean arguments_knows_type (const char *type);

/* Why a tick of JOB may not carry ARGS, whose encoded form has LEN bytes; the reason names the
 * argument. Numbers like 1.0 for a whole number become one in ARGS, so that PostgreSQL reads what
 * was meant. */
char *arguments_refusal (const Job *job, json_t *args, gsize len);
/* The same for a child's: a parent may say more than a tick may. */
char *arguments_child_refusal (const Job *job, json_t *args);
/* The same for those of a run that is there already, whoever has written its row. */
char *arguments_run_refusal (const Job *job, json_t *args);
/* Arguments of LEN bytes are more than [runs] max_args_bytes of CONFIG. */
char *arguments_size_refusal (const Config *config, gsize len);
