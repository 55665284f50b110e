/* The job that a sentence is, before its SQL is written.
 *
 * Threads: main, when it loads jobs. Ownership: the job is the caller's.
 */
#pragma once
#include "engine/job/job.h"
#include "engine/job/sentence/sections.h"

/* Takes SENTENCE, and a reference of SETTINGS. */
Job *sentence_job (Sentence *sentence, const Section *section, GKeyFile *settings);
