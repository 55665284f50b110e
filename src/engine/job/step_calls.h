/* What no SQL text of a user's job may call or set: what would last until the session ends, what
 * ends a session, and the settings that say what names mean or that the engine relies on.
 *
 * Threads: any. Ownership: step_call_clear.
 */
#pragma once
#include <glib.h>

typedef struct {
  char *word; /* as step_word gives it */
  guint n;    /* which of these words of the text, from 1 */
  char *why;  /* what follows the word in a sentence */
} StepCall;

/* The first such call in TEXT. FALSE: there is none. A function of the user's is not looked into.
 */
gboolean step_calls_find (const char *text, StepCall *found);
/* The same of a statement that begins with SET LOCAL; FALSE: of any other. */
gboolean step_calls_find_set (const char *text, StepCall *found);
void step_call_clear (StepCall *found);
/* Of what lasts. */
#define STEP_CALLS_LASTS " would last until the session ends, and other jobs use it next: "
