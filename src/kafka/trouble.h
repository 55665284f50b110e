/* The current trouble, by subject ("brokers", "commit", a topic, a partition): set when a fault is
 * seen, cleared when the same subject is seen to work.
 *
 * Threads: any.
 */
#pragma once
#include <glib.h>

typedef struct _Trouble Trouble;

Trouble *trouble_new (void);
void trouble_free (Trouble *trouble);
void trouble_set (Trouble *trouble, const char *subject, const char *text);
void trouble_clear (Trouble *trouble, const char *subject);
gboolean trouble_any (Trouble *trouble);
/* All subjects with trouble; g_ptr_array_unref it. */
GPtrArray *trouble_subjects (Trouble *trouble);
/* All texts, ordered by subject and joined by "; ", or NULL; g_free it. */
char *trouble_text (Trouble *trouble);
