/* From a section to a Sentence or a SentenceEvent, with all that can be checked of its text alone.
 *
 * Threads: main, when it loads jobs. Ownership: results are the caller's.
 */
#pragma once
#include "config/key.h"
#include "engine/job/sentence/sections.h"
#include "engine/job/sentence/sentence.h"

/* PRUNED_FATAL `<file>:<line>: ...`. SETTINGS gets the keys of `[jobs.NAME]` that stand in the
 * section, in its group [job]. Whether the events of `on` exist is not checked. */
Sentence *sentence_read (const Section *section, GKeyFile *settings, GError **error);

/* The same of an [event NAME] section. Whether `cancel_on` exists is not checked. NO_REGISTRY:
 * there is no schema registry. */
SentenceEvent *sentence_event_read (const Section *section, gboolean no_registry, GError **error);

/* Whether NAME can be one of a job: it becomes a part of a topic's name. */
gboolean sentence_name_is_valid (const char *name);

/* The same of a section's. PRUNED_FATAL: it cannot. */
gboolean sentence_name_check (const Section *section, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* `unknown key 'wehre' in [retention x], did you mean 'where'?` */
gboolean sentence_key_unknown (const Section *section, const KeyFileEntry *entry, const Key *keys,
                               GError **error);
/* FALSE: the key stands in the section before ENTRY. */
gboolean sentence_key_once (const Section *section, const KeyFileEntry *entry, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
