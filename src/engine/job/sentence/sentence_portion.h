/* The rows below a row, cut into portions (`children_portion`): which row has more of them than one
 * step may remove, and what such a step does. In each table it chooses and locks rows, from the row
 * down, as many as it may remove; then it removes them from the deepest table up, until it has
 * removed so many.
 *
 * Invariant: it reads no more rows of a table than it may remove, and removes none to which another
 * row still refers.
 *
 * Threads: any. Ownership: Below is borrowed; the caller frees texts with g_free.
 */
#pragma once
#include "engine/job/sentence/sentence_below.h"

/* Why the rows below can only go at once; NULL: they can go in portions. */
char *sentence_portion_refusal (const Below *below);
/* There are rows below, and they can go in portions. */
gboolean sentence_portion_can_be (const Below *below);
/* Sets the word of decide that says how many rows below a row that stays are gone. */
void sentence_portion_set_reason (const Below *below);
/* Adds the files of a portion, if the sentence has a word about it. Behind the locks: changes words
 * of decide. */
void sentence_portion_write (const Below *below, Written *written);
