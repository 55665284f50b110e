/* What is wrong now, by subject ("brokers", "commit", a topic, a partition): set when it is seen,
 * cleared when the same subject is seen to work.
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
/* The subjects there are; g_ptr_array_unref. */
GPtrArray *trouble_subjects (Trouble *trouble);
/* All texts by subject, joined by "; ", or NULL; g_free. */
char *trouble_text (Trouble *trouble);
