/* Numbers and times in words, and words in one line, for people.
 *
 * Threads: any. Ownership: g_free the results.
 */
#pragma once
#include "base/json.h"

/* How many columns of a terminal TEXT takes. */
glong words_width (const char *text);
/* TEXT, cut off where it takes more than MOST columns. */
char *words_cut (const char *text, glong most);
/* TEXT in lines of at most MOST columns, that end between two words. A word that is longer is
 * cut, behind one of ,:._/- if it has any. At least one line. g_strfreev it. */
char **words_wrap (const char *text, glong most);
/* `4,365 removed, 33 kept` of an object of numbers; zeroes are left out. NULL: there is nothing
 * else. */
char *words_of_counts (const json_t *counts);
/* `4,365 removed, 33 kept` of the result of a run; what it says besides its counters follows. In
 * mode plan: `planned: 4,365 would be removed`, behind what the run had done before. NULL: the run
 * has no result, or has done nothing that counts. */
char *words_of_result (const json_t *result);
/* All that the RESULT of a run says, zeroes as well: `more to come, 5 removed, 0 kept; tables:
 * orders: deleted 5`. */
char *words_of_whole (const json_t *result);
/* TEXT with one blank for each line break, tab and row of blanks, and none at its ends. */
char *words_in_one_line (const char *text);
/* `48 s ago`, `in 9 h`, `now`, of a TIME (RFC 3339); NULL: it is none. */
char *words_of_time (const char *time, gint64 now_us);
