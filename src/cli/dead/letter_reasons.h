/* Letters by their reason and topic, for `pruned dead list --by-reason`. Reasons that differ in
 * numbers and quoted values only are one.
 *
 * Threads: main only. Ownership: a LetterReasons keeps nothing of the letters.
 */
#pragma once
#include "cli/dead/letter.h"

typedef struct _LetterReasons LetterReasons;

LetterReasons *letter_reasons_new (void);
void letter_reasons_free (LetterReasons *reasons);
void letter_reasons_add (LetterReasons *reasons, const Letter *letter);
/* Rows of LETTER_REASONS_COLUMNS, those of most letters first. */
extern const Column LETTER_REASONS_COLUMNS[];
void letter_reasons_show (const LetterReasons *reasons, Output *out);
