/* Since when a row of a sentence is due, as its condition says it by comparing one column with `:T`
 * and in no other way: `expires_at < :T`, `created_at <= :T - interval '90 days'`, `created_at +
 * interval '90 days' < :T`, with other conditions by AND, or the same the other way round.
 *
 * Threads: any.
 */
#pragma once
#include "engine/job/sentence/sentence.h"

#define DUE_AT_ONCE "0 days"

/* Sets what SENTENCE does not say itself: `due_found` where it has no `due`, and `due_age` where
 * that has none. */
void sentence_due_find (Sentence *sentence);
